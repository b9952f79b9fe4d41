"""What operations return: plain frozen data, without a reference to the store it came from."""
