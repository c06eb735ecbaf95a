"""HTTP that connects to public addresses and to allowed private ones alone, whatever a name resolves to just then."""

import httpx2

from vectorless_web.infra.addresses import PrivateAddress, public_addresses


class PublicTransport(httpx2.HTTPTransport):
    """Resolves the host once, checks every address, and connects to one that was checked.

    Resolving again for the connection would let a name answer differently the second time
    (DNS rebinding). The certificate is still checked against the name. `allowed` are private
    hosts and networks to which it connects as well.
    """

    def __init__(self, allowed: tuple[str, ...] = ()) -> None:
        super().__init__()
        self._allowed = allowed

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """The answer; httpx2.ConnectError for a private address and for a name without any."""
        name = request.url.host
        try:
            addresses = public_addresses(name, request.url.port, self._allowed)
        except PrivateAddress as error:
            raise httpx2.ConnectError("private address", request=request) from error
        except OSError as error:
            raise httpx2.ConnectError("name not resolved", request=request) from error
        request.extensions = {**request.extensions, "sni_hostname": name}
        # "localhost" has two addresses, and most servers listen on one of them.
        for address in addresses[:-1]:
            request.url = request.url.copy_with(host=address)
            try:
                return super().handle_request(request)
            except httpx2.ConnectError:
                continue
        request.url = request.url.copy_with(host=addresses[-1])
        return super().handle_request(request)
