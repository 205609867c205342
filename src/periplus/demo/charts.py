"""The chart room: plain Python functions. Nothing here knows of Periplus."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Literal

_EARTH_NM = 3440.065


@dataclass(frozen=True)
class Position:
    """A place at sea, in decimal degrees."""

    latitude: float
    longitude: float


@dataclass(frozen=True)
class Leg:
    """A straight course between two places."""

    distance_nm: float
    course_deg: float
    hours: float


def plot_course(start: Position, end: Position, speed_kn: Annotated[float, "Speed over ground"] = 8.0) -> Leg:
    """Plot the great-circle course between two positions."""
    lat1, lat2 = math.radians(start.latitude), math.radians(end.latitude)
    east = math.radians(end.longitude - start.longitude)
    arc = math.acos(min(1.0, math.sin(lat1) * math.sin(lat2) + math.cos(lat1) * math.cos(lat2) * math.cos(east)))
    bearing = math.atan2(
        math.sin(east) * math.cos(lat2),
        math.cos(lat1) * math.sin(lat2) - math.sin(lat1) * math.cos(lat2) * math.cos(east),
    )
    distance = arc * _EARTH_NM
    return Leg(round(distance, 1), round(math.degrees(bearing) % 360, 1), round(distance / speed_kn, 1))


def convert_distance(value: float, unit: Literal["nm", "km", "mi"], to: Literal["nm", "km", "mi"]) -> float:
    """Convert a distance between nautical miles, kilometres and miles."""
    metres = {"nm": 1852.0, "km": 1000.0, "mi": 1609.344}
    return value * metres[unit] / metres[to]


def list_lighthouses(near: Position | None = None, limit: int = 5) -> list[dict[str, str | float]]:
    """List lighthouses, nearest first when a position is given."""
    lights: list[dict[str, str | float]] = [
        {"name": "Pharos", "latitude": 31.214, "longitude": 29.885},
        {"name": "Hercules", "latitude": 43.386, "longitude": -8.406},
        {"name": "Chania", "latitude": 35.519, "longitude": 24.017},
    ]
    if near is not None:
        lights.sort(
            key=lambda light: math.hypot(
                float(light["latitude"]) - near.latitude, float(light["longitude"]) - near.longitude
            )
        )
    return lights[:limit]
