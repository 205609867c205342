"""A small but real harbour: four services of four kinds, on loopback, for `periplus demo` and the tests."""
