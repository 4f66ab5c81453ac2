"""The best setting of two sliders on a home-insurance site. See Task.md."""
