set -euo pipefail

api() {
  local reply
  reply=$(curl -sS --fail-with-body "$NFT_URL$1" "${@:2}" -H "x-api-key: $NFT_KEY" -H 'Content-Type: application/json') || {
    # What was wrong, as the service says it.
    echo "$1: $reply" >&2
    return 1
  }
  echo "$reply"
}
# The text of a field in a reply.
field() { sed -n 's/.*"'"$1"'":"\([^"]*\)".*/\1/p'; }
# Polls a record until it has this status. One that failed is shown.
wait_for() {
  local record status=
  until [ "$status" = "$2" ]; do
    sleep 1
    record=$(api "$1")
    status=$(field status <<<"$record")
    [ "$status" != FAILED ] || { echo "$1: $record" >&2; return 1; }
  done
}
# Calls a view function of a contract on the chain, with a token id.
read_chain() {
  curl -sS --fail "$RPC_URL" -H 'Content-Type: application/json' -d '{"jsonrpc":"2.0","id":1,"method":"eth_call","params":[
    {"to":"'"$1"'","data":"'"$2$(printf '%064x' "$3")"'"},"latest"]}' | field result
}
# The key and the address of a holder: a test key that everyone knows.
holder_key=0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d
holder=0x70997970C51812dc3A010C7d01b50e0d17dc79C8
friend=0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC

# 1. A forwarder, once for each account and chain; then a contract, which trusts it.
id=$(api /contracts/forwarder -d '{"chainId":"43114","alias":"guide"}' | field _id)
wait_for "/contracts/$id" ACTIVE
id=$(api /contracts/deploy -d '{"chainId":"43114","name":"Opening night","symbol":"TIX","ercStandard":"721",
  "contractType":"standard"}' | field _id)
wait_for "/contracts/$id" ACTIVE
contract=$(api "/contracts/$id" | field contractAddress)

# 2. The first mint: the document of the token, then the order.
metadata=$(api /metadata -d '{"chainId":"43114","name":"Seat 12","imageUrl":"https://example.com/seat-12.png",
  "utility":{"type":"Flexible","data":{"status":"Unused"}}}' | field _id)
order=$(api /minting/order -H "Idempotency-Key: mint-$contract-1" -d '{"chainId":"43114","contractAddress":"'"$contract"'",
  "receiverAddress":"'"$holder"'","tokenId":"1","metadataId":"'"$metadata"'"}' | field id)
wait_for "/minting/$order" CONFIRMED
echo "Minted: token 1 of $contract"

# 3. The first transfer without gas: the holder signs, the account pays.
transfer='"chainId":"43114","contractAddress":"'"$contract"'","tokenId":"1","from":"'"$holder"'","to":"'"$friend"'"'
signature=$(api /transfer/signature -d "{$transfer,\"privateKey\":\"$holder_key\"}" | field signature)
order=$(api /transfer/execute -d "{$transfer,\"signature\":\"$signature\"}" | field id)
wait_for "/transfer/$order" CONFIRMED
owner=$(read_chain "$contract" 0x6352211e 1) # ownerOf(uint256)
echo "Transferred: token 1 belongs to 0x${owner: -40}"

# 4. A certificate: the hash of its document goes on the chain. burnAuth is fixed here: with "both", its holder can burn
# it, and you can revoke it.
id=$(api /contracts/deploy -d '{"chainId":"43114","name":"Watches","symbol":"CERT","ercStandard":"721",
  "contractType":"certificate","burnAuth":"both"}' | field _id)
wait_for "/contracts/$id" ACTIVE
certificates=$(api "/contracts/$id" | field contractAddress)
document=$(api /metadata -d '{"chainId":"43114","name":"Watch 1 of 10","imageUrl":"https://example.com/watch.png",
  "attributes":[{"traitType":"Type","value":"Authenticity"},{"traitType":"Serial Number","value":"SN-0001"},
    {"traitType":"Style Name","value":"Diver"},{"traitType":"Issuer (Mint by)","value":"Example"},
    {"traitType":"Creator","value":"A. Maker"},{"traitType":"Issue Date","value":1767225600},
    {"traitType":"Transferability","value":"Non-Transferable (SBT)"}],
  "utility":{"type":"Certificate","data":{"valid_until":null}}}')
token_uri="$NFT_URL/metadata/$certificates/1"
order=$(api /minting/order -d '{"chainId":"43114","contractAddress":"'"$certificates"'","receiverAddress":"'"$holder"'",
  "tokenId":"1","metadataId":"'"$(field _id <<<"$document")"'","metadataHash":"'"$(field metadataHash <<<"$document")"'",
  "tokenUri":"'"$token_uri"'"}' | field id)
wait_for "/minting/$order" CONFIRMED

# 5. Its check: the SHA-256 of the document is the hash on the chain.
on_chain=$(read_chain "$certificates" 0xf448f871 1) # getMetadataHash(uint256)
computed=0x$(curl -sS "$token_uri" | sha256sum | cut -d ' ' -f 1)
[ "$on_chain" = "$computed" ] || { echo "Altered: $computed, on chain $on_chain" >&2; exit 1; }
echo "Genuine: $computed"
