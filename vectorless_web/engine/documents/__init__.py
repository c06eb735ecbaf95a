"""The compiled document: nodes, tables, tree, card and the artefact that holds them."""
