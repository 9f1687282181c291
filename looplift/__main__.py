"""`python -m looplift` is the `looplift` command."""

from looplift.commands import main

main()
