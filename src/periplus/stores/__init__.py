"""What must survive a restart. Each module here is one store; `periplus.testing` holds what all must pass."""
