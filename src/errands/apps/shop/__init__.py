"""An online shop: products, a list of what is saved for later, a cart, orders that are staged and then paid for."""

from errands.world import App

shop = App("shop", __name__, scopes=("shop.read", "shop.write", "shop.pay"))

from . import catalogue, cart, orders  # noqa: E402, F401, I001  (they declare the tools)
