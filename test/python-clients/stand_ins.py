"""The agent client needs a package of types that not every package index has; no call of these tests uses them."""

import importlib.abc
import importlib.machinery
import sys
import types

TYPES_ONLY = ("langchain_protocol", "langchain_core")


class _Types(types.ModuleType):
    """A module in which every name is a type."""

    __path__ = []

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (dict,), {})


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in TYPES_ONLY:
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec):
        return _Types(spec.name)

    def exec_module(self, module):
        pass


def import_agent_client():
    """The agent client, with stand-ins for modules of types that are not installed."""
    try:
        import langgraph_sdk
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] not in TYPES_ONLY:
            raise
        forget("langgraph_sdk", *TYPES_ONLY)
        finder = _Finder()
        sys.meta_path.append(finder)
        import langgraph_sdk

        # The tracing client looks for these packages too, and must not find the stand-ins.
        sys.meta_path.remove(finder)
        forget(*TYPES_ONLY)
    return langgraph_sdk


def forget(*packages):
    for name in [name for name in sys.modules if name.split(".")[0] in packages]:
        del sys.modules[name]
