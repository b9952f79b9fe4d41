"""The script by which codecairn starts itself: `python -I -S launch.py [ARG]...` equals the command `codecairn`.

It imports nothing from the working directory, nor from where the environment says (see `isolation`).
"""

import os
import sys
from importlib.util import module_from_spec, spec_from_file_location

FOLDER = os.path.dirname(os.path.abspath(__file__))


def load_package() -> None:
    """Load the package that this script lies in, whichever others are installed."""
    spec = spec_from_file_location(
        "codecairn", os.path.join(FOLDER, "__init__.py"), submodule_search_locations=[FOLDER]
    )
    assert spec is not None
    assert spec.loader is not None
    package = module_from_spec(spec)
    sys.modules["codecairn"] = package
    spec.loader.exec_module(package)


def main(arguments: list[str]) -> None:
    """Serve a command, or do the work of a background process."""
    load_package()
    from codecairn.core.isolation import BACKGROUND, add_site_packages, drop_working_directory

    is_background = arguments[:1] == [BACKGROUND]
    if is_background:
        os.chdir(FOLDER)
    drop_working_directory()
    add_site_packages()
    if is_background:
        from codecairn.hooks.background import main as look_after

        look_after(arguments[1:])
        return
    from codecairn.program import command

    command()


if __name__ == "__main__":
    main(sys.argv[1:])
