import hashlib
import json
import os
import time
import urllib.error
import urllib.request

NFT_URL, NFT_KEY, RPC_URL = (os.environ[name] for name in ("NFT_URL", "NFT_KEY", "RPC_URL"))
CHAIN_ID = "43114"
# The key and the address of a holder: a test key that everyone knows.
HOLDER_KEY = "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d"
HOLDER = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
FRIEND = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC"


def send(url, body=None, headers=None):
    """The reply to a POST, or to a GET if there is no body."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json", **(headers or {})})
    try:
        with urllib.request.urlopen(request) as reply:
            return reply.read()
    except urllib.error.HTTPError as error:
        raise SystemExit(f"{url}: {error.code} {error.read().decode()}") from None


def api(path, body=None, headers=None):
    return json.loads(send(NFT_URL + path, body, {"x-api-key": NFT_KEY, **(headers or {})}))


def wait_for(path, status):
    """Polls a record until it has this status."""
    while True:
        record = api(path)
        if record["status"] == status:
            return record
        if record["status"] == "FAILED":
            raise SystemExit(record["errorMessage"])
        time.sleep(1)


def read_chain(contract, selector, token_id):
    """Calls a view function of a contract on the chain, with a token id."""
    call = {"to": contract, "data": f"{selector}{token_id:064x}"}
    request = {"jsonrpc": "2.0", "id": 1, "method": "eth_call", "params": [call, "latest"]}
    return json.loads(send(RPC_URL, request))["result"]


def deploy(name, symbol, contract_type, **more):
    contract = api("/contracts/deploy", {
        "chainId": CHAIN_ID, "name": name, "symbol": symbol, "ercStandard": "721", "contractType": contract_type, **more,
    })
    return wait_for(f"/contracts/{contract['_id']}", "ACTIVE")["contractAddress"]


# 1. A forwarder, once for each account and chain; then a contract, which trusts it.
forwarder = api("/contracts/forwarder", {"chainId": CHAIN_ID, "alias": "guide"})
wait_for(f"/contracts/{forwarder['_id']}", "ACTIVE")
contract = deploy("Opening night", "TIX", "standard")

# 2. The first mint: the document of the token, then the order.
metadata = api("/metadata", {
    "chainId": CHAIN_ID, "name": "Seat 12", "imageUrl": "https://example.com/seat-12.png",
    "utility": {"type": "Flexible", "data": {"status": "Unused"}},
})
order = api("/minting/order", {
    "chainId": CHAIN_ID, "contractAddress": contract, "receiverAddress": HOLDER, "tokenId": "1",
    "metadataId": metadata["_id"],
}, {"Idempotency-Key": f"mint-{contract}-1"})
wait_for(f"/minting/{order['id']}", "CONFIRMED")
print("Minted: token 1 of", contract)

# 3. The first transfer without gas: the holder signs, the account pays.
transfer = {"chainId": CHAIN_ID, "contractAddress": contract, "tokenId": "1", "from": HOLDER, "to": FRIEND}
signed = api("/transfer/signature", {**transfer, "privateKey": HOLDER_KEY})
moved = api("/transfer/execute", {**transfer, "signature": signed["signature"]})
wait_for(f"/transfer/{moved['id']}", "CONFIRMED")
owner = "0x" + read_chain(contract, "0x6352211e", 1)[-40:]  # ownerOf(uint256)
print("Transferred: token 1 belongs to", owner)

# 4. A certificate: the hash of its document goes on the chain.
certificates = deploy("Watches", "CERT", "certificate", burnAuth="both")
traits = {
    "Type": "Authenticity", "Serial Number": "SN-0001", "Style Name": "Diver", "Issuer (Mint by)": "Example",
    "Creator": "A. Maker", "Issue Date": 1767225600, "Transferability": "Non-Transferable (SBT)",
}
document = api("/metadata", {
    "chainId": CHAIN_ID, "name": "Watch 1 of 10", "imageUrl": "https://example.com/watch.png",
    "attributes": [{"traitType": name, "value": value} for name, value in traits.items()],
    "utility": {"type": "Certificate", "data": {"valid_until": None}},
})
token_uri = f"{NFT_URL}/metadata/{certificates}/1"
order = api("/minting/order", {
    "chainId": CHAIN_ID, "contractAddress": certificates, "receiverAddress": HOLDER, "tokenId": "1",
    "metadataId": document["_id"], "metadataHash": document["metadataHash"], "tokenUri": token_uri,
})
wait_for(f"/minting/{order['id']}", "CONFIRMED")

# 5. Its check: the SHA-256 of the document is the hash on the chain.
on_chain = read_chain(certificates, "0xf448f871", 1)  # getMetadataHash(uint256)
computed = "0x" + hashlib.sha256(send(token_uri)).hexdigest()
if on_chain != computed:
    raise SystemExit(f"Altered: {computed} instead of {on_chain}")
print("Genuine:", computed)
