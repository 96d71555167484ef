"""Pictures of a table as SVG, drawn from a view value (`render.view`) and the card sheet (`sheet.py`).

| where | what |
|---|---|
| `sheet.py` and its JSON files | letters, shapes, colours, places, words: shared with the page |
| `elements.py`, `lettering.py`, `card_faces.py` | SVG elements as values; text as strokes; cards, fans and hands |
| `raster.py` | the picture as pixels |
| `header.py`, `seat_picture.py`, `table_picture.py` | the line above the table; a seat; the whole picture |

The modules of `render/page` draw the same picture in a browser, function by function.
"""
