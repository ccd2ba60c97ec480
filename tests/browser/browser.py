"""A headless Chromium, driven over a pipe in its own protocol: nothing to install but the browser."""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
PATIENCE = 60.0


def find():
    """The path of a Chromium, or None. ANDNMF_CHROMIUM names one that is not on the path."""
    named = os.environ.get("ANDNMF_CHROMIUM")
    candidates = [named] if named else NAMES
    return next(filter(None, map(shutil.which, candidates)), None)


class PageError(Exception):
    """What a script in the page threw."""


class Browser:
    """One browser with one page; remembers what the page logged, threw and asked the network for."""

    def __init__(self, program):
        self._profile = tempfile.TemporaryDirectory()
        to_read, self._write = os.pipe()
        self._read, to_write = os.pipe()
        # The browser listens on descriptor 3 and answers on 4.
        command = 'exec "$@" 3<&"$BROWSER_IN" 4>&"$BROWSER_OUT"'
        flags = ["--headless=new", "--remote-debugging-pipe", "--no-first-run", "--disable-background-networking",
                 "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", f"--user-data-dir={self._profile.name}"]
        if hasattr(os, "geteuid") and os.geteuid() == 0:
            flags.append("--no-sandbox")
        self._process = subprocess.Popen(
            ["bash", "-c", command, "browser", program, *flags, "about:blank"], pass_fds=(to_read, to_write),
            env={**os.environ, "BROWSER_IN": str(to_read), "BROWSER_OUT": str(to_write)},
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(to_write)
        self._buffer, self._next, self._session = b"", 0, None
        self.complaints, self.requests, self._loaded = [], [], False
        page = next(t for t in self._pages())
        self._session = self.send("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")

    def _pages(self):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            targets = self.send("Target.getTargets")["targetInfos"]
            yield from (target["targetId"] for target in targets if target["type"] == "page")
        raise TimeoutError("the browser opened no page")

    def close(self):
        """Ends the browser, by force if it does not go."""
        try:
            self._session = None
            self.send("Browser.close")
            self._process.wait(10)
        except (OSError, TimeoutError, subprocess.TimeoutExpired):
            self._process.kill()
            self._process.wait()
        os.close(self._read)
        os.close(self._write)
        self._profile.cleanup()

    def _receive(self):
        end = time.monotonic() + PATIENCE
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._read], [], [], max(0.0, end - time.monotonic()))
            part = os.read(self._read, 1 << 16) if ready else b""
            if not part:
                raise TimeoutError("the browser does not answer")
            self._buffer += part
        message, _, self._buffer = self._buffer.partition(b"\0")
        return json.loads(message)

    def _notice(self, message):
        method, about = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            detail = about["exceptionDetails"]
            self.complaints.append(detail.get("exception", {}).get("description") or detail["text"])
        elif method == "Runtime.consoleAPICalled":
            self.complaints.append(f"console.{about['type']}: " + " ".join(str(a.get("value")) for a in about["args"]))
        elif method == "Log.entryAdded":
            self.complaints.append(f"log: {about['entry']['text']}")
        elif method == "Page.javascriptDialogOpening":
            self.complaints.append(f"dialog: {about['message']}")
            self._post("Page.handleJavaScriptDialog", accept=True)
        elif method == "Network.requestWillBeSent":
            self.requests.append(about["request"]["url"])
        elif method == "Page.loadEventFired":
            self._loaded = True

    def _post(self, method, **parameters):
        self._next += 1
        message = {"id": self._next, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        return self._next

    def send(self, method, **parameters):
        """Asks the browser, and waits for its answer."""
        sent = self._post(method, **parameters)
        while True:
            message = self._receive()
            if message.get("id") != sent:
                self._notice(message)
            elif "error" in message:
                raise PageError(f"{method}: {message['error']['message']}")
            else:
                return message["result"]

    def open(self, path, width=1280, height=900, dark=False):
        """Opens a file in a window of this size and waits until it is drawn."""
        self.complaints, self.requests, self._loaded = [], [], False
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.send("Emulation.setEmulatedMedia", features=[scheme, {"name": "prefers-reduced-motion", "value": "reduce"}])
        self.send("Page.navigate", url=path.resolve().as_uri())
        while not self._loaded:
            self._notice(self._receive())
        self.settle()

    def settle(self):
        """Waits until the page has drawn what it was told."""
        self.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def run(self, script):
        """The value of an expression in the page."""
        result = self.send("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            detail = result["exceptionDetails"]
            raise PageError(detail.get("exception", {}).get("description") or detail["text"])
        return result["result"].get("value")

    def mouse(self, kind, x, y, button="none"):
        pressed = 1 if button == "left" and kind != "mouseReleased" else 0
        self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button=button, buttons=pressed, clickCount=int(button == "left"))

    def click(self, selector):
        """Clicks in the middle of an element with the mouse."""
        x, y, width, height = self.box(selector)
        x, y = x + width / 2, y + height / 2
        self.mouse("mouseMoved", x, y)
        self.mouse("mousePressed", x, y, "left")
        self.mouse("mouseReleased", x, y, "left")
        self.settle()

    def box(self, selector):
        """Left, top, width and height of an element, after bringing it into view."""
        name = json.dumps(selector)
        return self.run(f"""(() => {{
            const found = document.querySelector({name});
            if (!found) throw new Error("there is no " + {name});
            found.scrollIntoView({{ block: "center" }});
            const box = found.getBoundingClientRect();
            return [box.left, box.top, box.width, box.height];
        }})()""")

    def press(self, key):
        """Presses and releases a key by its name in the page."""
        # Keys that the browser itself acts on are known to it by number.
        number = {"Tab": 9, "Delete": 46}.get(key)
        extra = {"windowsVirtualKeyCode": number} if number else {}
        self.send("Input.dispatchKeyEvent", type="keyDown", key=key, code=key, **extra)
        self.send("Input.dispatchKeyEvent", type="keyUp", key=key, code=key, **extra)
        self.settle()

    def type(self, text):
        self.send("Input.insertText", text=text)
        self.settle()

    def picture(self, path, whole=True):
        """Saves what the page looks like."""
        shot = self.send("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(shot["data"]))
