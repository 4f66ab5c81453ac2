"""The broadband plan with the lowest cost over two years. See Task.md."""
