"""What may be done to grids: make and change them, have their cells asked, review what comes."""

from vectorless_web.grids.services.filling import (
    ask_cell,
    change_cells,
    fill_grid,
    stop_grid,
    take_end,
)
from vectorless_web.grids.services.following import follow_documents
from vectorless_web.grids.services.making import (
    ColumnValues,
    GridValues,
    add_column,
    add_documents,
    change_column,
    create_grid,
    delete_grid,
    remove_column,
    remove_row,
)
from vectorless_web.grids.services.reviewing import accept_cell, correct_cell
