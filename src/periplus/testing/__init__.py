"""Suites that every store must pass, and honest fakes. Needs pytest and hypothesis, which the gateway does not."""
