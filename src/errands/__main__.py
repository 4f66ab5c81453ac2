"""`python -m errands`: the command line."""

from errands.cli import main

if __name__ == "__main__":
    main()
