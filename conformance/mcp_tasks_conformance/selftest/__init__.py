"""The suite judged by its own measure: the whole library against every fault, variant and husk of the reference."""
