"""codecairn in other frameworks. Each module needs the package it is named after; importing codecairn loads none of them."""
