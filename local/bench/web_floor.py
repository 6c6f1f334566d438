"""The floor of the page: what a thread's stream needs at least to be read and answered, with nothing kept."""

FLOOR = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Floor</title>
<textarea aria-label="Message"></textarea>
<main id="all"></main><pre id="output"></pre>
<script>
const id = location.pathname.split("/").at(-1);
const path = `/api/threads/${id}/stream`;
const output = document.getElementById("output");
let received = 0, acknowledged = 0, newest = "";
function take({ data, target: socket }) {
  received += data.length;
  if (received - acknowledged >= 262144) {
    acknowledged = received;
    socket.send(JSON.stringify({ type: "ack", bytes: received }));
  }
  const event = JSON.parse(data);
  if (event.type === "message.created") newest = event.data.text;
  if (event.type === "caught_up") {
    const card = document.createElement("p");
    card.dataset.card = "newest";
    card.textContent = newest;
    document.getElementById("all").append(card);
  }
  if (event.type === "tool.output") output.textContent = event.data.text.slice(-400);
}
fetch("/api/tickets", {
  method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ path }),
}).then((answer) => answer.json()).then(({ ticket }) => {
  const socket = new WebSocket(`${location.origin.replace("http", "ws")}${path}?after=0&ticket=${ticket}`);
  socket.onmessage = take;
});
</script></html>"""
