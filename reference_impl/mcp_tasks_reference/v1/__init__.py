"""Tasks as revision 2025-11-25 of the protocol has them."""
