"""The released models: a module each, with package, hash, licence, input and `measure`."""
