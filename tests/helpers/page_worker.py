"""What a page's Worker does, as a process: lines of JSON in and out (`shengji_table.web.page_host`)."""

import asyncio
import sys

from shengji_table.web import page_host


async def main():
    loop, reader = asyncio.get_running_loop(), asyncio.StreamReader(limit=1 << 24)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    hear = page_host.start(lambda text: print(text, flush=True))
    while line := await reader.readline():
        hear(line.decode())


if __name__ == "__main__":
    asyncio.run(main())
