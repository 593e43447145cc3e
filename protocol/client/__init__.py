"""The SDK: talk to a match coordinator from a trio program.

    server = TableServer("ws://127.0.0.1:7420", "srv-1", games=["dou_dizhu"], capacity=20)
    async with trio.open_nursery() as nursery:
        await nursery.start(server.run)
        async for hand in server.hands():
            nursery.start_soon(play, hand)

Sockets come and go underneath; what was said is said once, in order, and a report is kept until it has a
verdict.
"""

from protocol.client.channel import Channel, ChannelLost, Dial, websocket_dial
from protocol.client.director import Director
from protocol.client.failures import DialRefused, LinkEnded, LinkRefused, Replaced, RequestRefused
from protocol.client.feed import Feed
from protocol.client.lobby import Due, Lobby, Notice, TourneyNotice
from protocol.client.spectator import Spectator
from protocol.client.table_server import TableServer
from protocol.client.tables import Hand, Report, Table

__all__ = [
    "Channel",
    "ChannelLost",
    "Dial",
    "DialRefused",
    "Director",
    "Due",
    "Feed",
    "Hand",
    "LinkEnded",
    "LinkRefused",
    "Lobby",
    "Notice",
    "Replaced",
    "Report",
    "RequestRefused",
    "Spectator",
    "Table",
    "TableServer",
    "TourneyNotice",
    "websocket_dial",
]
