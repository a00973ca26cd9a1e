"""Starting and reaching the implementation under test."""
