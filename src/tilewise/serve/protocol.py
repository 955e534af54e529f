"""uvicorn's HTTP/1.1, with a limit to every wait for a client.

uvicorn itself waits without end for the first byte of a request, for the rest of its
headers, and for a client that does not take its answer.
"""

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from tilewise.serve.problem import MEDIA, bad


class Patient(H11Protocol):
    """Closes a connection that makes no headway for `patience` seconds."""

    def __init__(self, *, patience, most, **how):
        super().__init__(**how)
        self.patience, self.most = patience, most
        self.alarms = {}

    def arm(self, name):
        """Give up the connection in `patience` seconds, unless disarmed before."""
        if name not in self.alarms:
            give_up = self.transport.abort
            self.alarms[name] = self.loop.call_later(self.patience, give_up)

    def disarm(self, *names):
        for name in names:
            if alarm := self.alarms.pop(name, None):
                alarm.cancel()

    def at_work(self):
        """Whether a request is here that has not been answered."""
        return self.cycle is not None and not self.cycle.response_complete

    def connection_made(self, transport):
        super().connection_made(transport)
        if len(self.connections) > self.most:
            transport.abort()
        self.arm("request")

    def data_received(self, data):
        super().data_received(data)
        if self.at_work():  # its body and its result have the request's own deadline
            self.disarm("request")
        else:  # headers, or a body that was refused: more bytes do not set it back
            self.arm("request")

    def on_response_complete(self):
        self.disarm("answer")
        super().on_response_complete()  # which may begin the next request
        if not self.at_work():
            self.arm("request")

    def pause_writing(self):
        super().pause_writing()
        self.arm("answer")  # until all of it is taken

    def shutdown(self):
        try:
            super().shutdown()
        except h11.LocalProtocolError:  # what came was not HTTP
            self.transport.close()
        self.arm("answer")

    def connection_lost(self, error):
        self.disarm(*[*self.alarms])
        super().connection_lost(error)

    def send_400_response(self, message):
        """The answer to what is not HTTP, in the form of all other problems."""
        body = bad("this is not a valid HTTP request").body()
        length = str(len(body)).encode()
        headers = [
            (b"content-type", MEDIA.encode()),
            (b"content-length", length),
            (b"connection", b"close"),
        ]
        start = h11.Response(status_code=400, headers=headers, reason=b"Bad Request")
        try:
            for event in (start, h11.Data(data=body), h11.EndOfMessage()):
                self.transport.write(self.conn.send(event))
        except h11.LocalProtocolError:  # another answer has begun: it ends here
            pass
        self.transport.close()
        self.arm("request")
