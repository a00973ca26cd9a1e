"""A harness that starts the target of its first argument and comes to a sudden end: how, says its second."""

import asyncio
import atexit
import os
import sys
from pathlib import Path

from mcp_tasks_conformance.targets.command import CommandTarget
from mcp_tasks_conformance.targets.pool import InstancePool
from mcp_tasks_conformance.targets.process import Graces, within

TARGET = CommandTarget(
    (sys.executable, "-S", "-E", str(Path(__file__).with_name(f"{sys.argv[1]}.py"))),
    graces=Graces(end_of_input_s=0.1, terminate_s=0.1, kill_s=2.0),
)


async def main(ending: str) -> None:
    async with InstancePool(TARGET) as pool:
        if ending == "pooled":
            async with pool.fresh() as lease:
                sys.stdout.write(f"{lease.instance.stderr_tail()}\n")
                sys.stdout.flush()
                await asyncio.Event().wait()
        instance = await TARGET.start()
        await instance.process.reader.readline()
        if ending == "forks":
            worker = os.fork()
            if worker == 0:
                # As an exit does, but past the event loop, which is the parent's.
                atexit._run_exitfuncs()
                os._exit(0)
            await asyncio.to_thread(os.waitpid, worker, 0)
            sys.stdout.write("dead" if await within(0.1, instance.gone) else "alive")
            await instance.stop()
            return
        if ending == "fails":
            raise ZeroDivisionError
        if ending == "exits":
            sys.exit(5)
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        await asyncio.Event().wait()


asyncio.run(main(sys.argv[2]))
