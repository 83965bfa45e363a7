"""python3 -m second --help"""

import argparse
import contextlib
import decimal
import signal
import threading
from pathlib import Path

# Threads copy this context: 19 digits times 19 digits fit, exactly.
decimal.DefaultContext.prec = 100
decimal.setcontext(decimal.DefaultContext)

from . import fixtures  # noqa: E402
from .contract import Contract  # noqa: E402
from .reference import Reference, sandbox_clients  # noqa: E402
from .service import Service  # noqa: E402
from .web import Server  # noqa: E402

ROOT = Path(__file__).resolve().parents[3]


def main():
    parser = argparse.ArgumentParser(prog="second", description="A second implementation of the contract.")
    parser.add_argument("--listen", default="127.0.0.1:9090", help="address and port; port 0 takes a free one")
    parser.add_argument("--sandbox", action="store_true", help="serve the operations below /sandbox")
    parser.add_argument("--contract", default=ROOT / "openapi/openapi.yaml")
    parser.add_argument("--data", default=ROOT / "server/reference/data", help="folder of the reference data")
    parser.add_argument("--fixtures", metavar="FILE", help="create what profile document needs, and write it there")
    parser.add_argument("--rate-limit", type=int, default=0, metavar="N", help="requests per second and client")
    parser.add_argument("--webhooks", choices=("on", "off"), default="on", help="whether to deliver events to endpoints")
    parser.add_argument("--no-validation", action="store_true", help="leave the schemas to a proxy in front")
    parser.add_argument("--unavailable", action="store_true", help="answer as if the store were away")
    parser.add_argument("--broken", action="store_true", help="fail in every operation")
    options = parser.parse_args()
    host, _, port = options.listen.rpartition(":")
    service = Service(Reference(options.data), options.sandbox, options.webhooks == "on")
    clients = sandbox_clients()
    if options.fixtures:
        fixtures.write(options.fixtures, service, clients[0])
    server = Server((host, int(port)), Contract(options.contract), service, clients, options)
    signal.signal(signal.SIGTERM, lambda *_: threading.Thread(target=server.shutdown).start())
    print(f"listening on http://{host}:{server.server_address[1]}", flush=True)
    with contextlib.suppress(KeyboardInterrupt):
        server.serve_forever(poll_interval=0.1)


main()
