"""Pictures of a table as SVG, drawn from a view value (`render.view`) and the card sheet (`sheet.py`).

| where | what |
|---|---|
| `sheet.py` and its JSON files | letters, shapes, colours, places, words: shared with the page |
| `elements.py`, `lettering.py` | SVG elements as values; text as strokes |
| `card_rows.py`, `card_faces.py` | how cards share a box; cards, fans, piles and hands |
| `raster.py` | the picture as pixels |
| `values_picture.py`, `batch_picture.py` | what candidates are worth, on the table; tables as a grid |
| `header.py`, `seat_picture.py`, `table_picture.py` | the line above the table; a seat; the whole picture |

The modules of `render/page` draw the same picture in a browser, function by function.
"""
