"""HTTP that connects to public addresses alone, whatever a name resolves to at that moment."""

import httpx2

from vectorless_web.lib.addresses import PrivateAddress, public_addresses


class PublicTransport(httpx2.HTTPTransport):
    """Resolves the host once, checks every address, and connects to one that was checked.

    Resolving again for the connection would let a name answer differently the second time
    (DNS rebinding). The certificate is still checked against the name.
    """

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """The answer; httpx2.ConnectError for a private address and for a name without any."""
        name = request.url.host
        try:
            address = public_addresses(name, request.url.port)[0]
        except PrivateAddress as error:
            raise httpx2.ConnectError("private address", request=request) from error
        except OSError as error:
            raise httpx2.ConnectError("name not resolved", request=request) from error
        request.extensions = {**request.extensions, "sni_hostname": name}
        request.url = request.url.copy_with(host=address)
        return super().handle_request(request)
