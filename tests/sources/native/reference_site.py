"""A site served by the reference library, run by the interpreter that has it; prints its port."""

import asyncio
import socket
import sys
from enum import Enum
from typing import Any, Literal, Optional

import uvicorn
from elemm import AIProtocolManager
from elemm.gateways.fastapi import FastAPIGateway
from fastapi import FastAPI
from pydantic import BaseModel


class Ship(BaseModel):
    name: str
    length_m: float


class Side(Enum):
    PORT = "port"


def harbour(manager: Any) -> None:
    """Actions of every shape, and one that this library cannot write as JSON."""

    @manager.landmark("berths:list")
    async def berths_list(state: Literal["free", "taken"] = "free", limit: int = 10) -> list:
        """Lists the berths."""
        return [{"id": "B4", "state": state}, {"id": "B7", "state": state}][:limit]

    @manager.landmark("berths:prices:quote", remedy="Name a berth.", instructions="In euros.")
    async def quote(berth: str, ship: Optional[Ship] = None) -> dict:  # noqa: UP045 - the other spelling it takes for text
        """Quotes a price."""
        if berth == "Z9":
            raise ValueError("no such berth")
        return {"berth": berth, "cost": 90}

    @manager.landmark("berths:delete_all", meta={"method": "DELETE"})
    async def delete_all(names: list[str], sure: bool) -> dict:  # noqa: FBT001 - a parameter of the action
        """Deletes."""
        return {"deleted": len(names)}

    @manager.landmark("ping")
    async def ping() -> str:
        """Pings."""
        return "pong"

    @manager.landmark("berths:moor")
    async def moor(side: Side = Side.PORT) -> dict:
        """Moors a ship."""
        return {"moored": True}


def city(manager: Any, count: int) -> None:
    for number in range(count):

        async def plain(unit: str, level: int = 3) -> dict:
            return {"unit": unit, "level": level}

        plain.__name__, plain.__doc__ = f"tool_{number}", f"Does thing number {number}."
        manager.landmark(f"zone_{number % 300}:sector_{number % 7}:tool_{number}")(plain)


def main() -> None:
    manager = AIProtocolManager(welcome_message="Harbour office", instructions="Quote before you reserve.")
    harbour(manager)
    city(manager, int(sys.argv[1]))
    app = FastAPI()
    FastAPIGateway(manager).bind_to_app(app)
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)  # noqa: T201 - whoever started it waits for this line
    asyncio.run(uvicorn.Server(uvicorn.Config(app, log_level="critical")).serve(sockets=[listener]))


main()
