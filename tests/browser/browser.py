"""Controls a headless Chromium over a pipe with the DevTools protocol; needs nothing but the browser."""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
TIMEOUT_SECONDS = 60.0


def find():
    """Returns the path of Chromium, or None. ANDNMF_CHROMIUM overrides the search on PATH."""
    named = os.environ.get("ANDNMF_CHROMIUM")
    candidates = [named] if named else NAMES
    return next(filter(None, map(shutil.which, candidates)), None)


class PageError(Exception):
    """An error of a script in the page or of a browser command."""


class Browser:
    """One browser with one page; records console messages, errors and network requests of the page."""

    def __init__(self, program):
        self._profile = tempfile.TemporaryDirectory()
        to_read, self._write = os.pipe()
        self._read, to_write = os.pipe()
        # The browser reads from descriptor 3 and writes to 4.
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
        self.messages, self.requests, self._loaded = [], [], False
        page = next(t for t in self._pages())
        self._session = self.send("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")

    def _pages(self):
        end = time.monotonic() + TIMEOUT_SECONDS
        while time.monotonic() < end:
            targets = self.send("Target.getTargets")["targetInfos"]
            yield from (target["targetId"] for target in targets if target["type"] == "page")
        raise TimeoutError("the browser did not open a page")

    def close(self):
        """Closes the browser; kills it if it does not exit."""
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
        end = time.monotonic() + TIMEOUT_SECONDS
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._read], [], [], max(0.0, end - time.monotonic()))
            part = os.read(self._read, 1 << 16) if ready else b""
            if not part:
                raise TimeoutError("the browser does not respond")
            self._buffer += part
        message, _, self._buffer = self._buffer.partition(b"\0")
        return json.loads(message)

    def _handle_event(self, message):
        method, params = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            detail = params["exceptionDetails"]
            self.messages.append(detail.get("exception", {}).get("description") or detail["text"])
        elif method == "Runtime.consoleAPICalled":
            self.messages.append(f"console.{params['type']}: " + " ".join(str(a.get("value")) for a in params["args"]))
        elif method == "Log.entryAdded":
            self.messages.append(f"log: {params['entry']['text']}")
        elif method == "Page.javascriptDialogOpening":
            self.messages.append(f"dialog: {params['message']}")
            self._send_message("Page.handleJavaScriptDialog", accept=True)
        elif method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])
        elif method == "Page.loadEventFired":
            self._loaded = True

    def _send_message(self, method, **parameters):
        self._next += 1
        message = {"id": self._next, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        return self._next

    def send(self, method, **parameters):
        """Sends a command and returns its result."""
        sent = self._send_message(method, **parameters)
        while True:
            message = self._receive()
            if message.get("id") != sent:
                self._handle_event(message)
            elif "error" in message:
                raise PageError(f"{method}: {message['error']['message']}")
            else:
                return message["result"]

    def open(self, path, width=1280, height=900, dark=False, fragment=""):
        """Opens a file in a window of this size and waits until it is rendered; `fragment` is the end of its address."""
        self.messages, self.requests, self._loaded = [], [], False
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.send("Emulation.setEmulatedMedia", features=[scheme, {"name": "prefers-reduced-motion", "value": "reduce"}])
        if fragment:
            # Another fragment of the same page would not load it anew.
            self.send("Page.navigate", url="about:blank")
            while not self._loaded:
                self._handle_event(self._receive())
            self.messages, self.requests, self._loaded = [], [], False
        self.send("Page.navigate", url=path.resolve().as_uri() + fragment)
        while not self._loaded:
            self._handle_event(self._receive())
        self.settle()

    def settle(self):
        """Waits until the page has rendered its changes."""
        self.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def save_to(self, folder):
        """Saves downloads in a folder."""
        session, self._session = self._session, None
        try:
            self.send("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(folder))
        finally:
            self._session = session

    def run(self, script):
        """Evaluates an expression in the page and returns its value."""
        result = self.send("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            detail = result["exceptionDetails"]
            raise PageError(detail.get("exception", {}).get("description") or detail["text"])
        return result["result"].get("value")

    def mouse(self, kind, x, y, button="none"):
        pressed = 1 if button == "left" and kind != "mouseReleased" else 0
        self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button=button, buttons=pressed, clickCount=int(button == "left"))

    def click(self, selector):
        """Clicks the centre of an element with the mouse."""
        x, y, width, height = self.box(selector)
        x, y = x + width / 2, y + height / 2
        self.mouse("mouseMoved", x, y)
        self.mouse("mousePressed", x, y, "left")
        self.mouse("mouseReleased", x, y, "left")
        self.settle()

    def box(self, selector):
        """Scrolls an element into view and returns its left, top, width and height."""
        name = json.dumps(selector)
        return self.run(f"""(async () => {{
            const found = document.querySelector({name});
            if (!found) throw new Error("there is no " + {name});
            // Until it stays for a few frames, since parts that come into sight may take another size.
            for (let [same, place] = [0, null]; same < 4;) {{
                found.scrollIntoView({{ block: "center" }});
                const now = `${{scrollY}} ${{found.getBoundingClientRect().top}}`;
                [same, place] = [now === place ? same + 1 : 0, now];
                await new Promise(requestAnimationFrame);
            }}
            const box = found.getBoundingClientRect();
            return [box.left, box.top, box.width, box.height];
        }})()""")

    def press(self, key):
        """Presses and releases a key, given by its name."""
        # Keys with a default action of the browser need their key code.
        number = {"Tab": 9, "Delete": 46}.get(key)
        extra = {"windowsVirtualKeyCode": number} if number else {}
        self.send("Input.dispatchKeyEvent", type="keyDown", key=key, code=key, **extra)
        self.send("Input.dispatchKeyEvent", type="keyUp", key=key, code=key, **extra)
        self.settle()

    def type(self, text):
        self.send("Input.insertText", text=text)
        self.settle()

    def screenshot(self, path, whole=True):
        """Saves a screenshot of the page."""
        shot = self.send("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(shot["data"]))
