import time
import urllib.request
from collections import deque

TIMEOUT = 10
AGENT = "crawler/1.2 (+https://example.org/über)"


class Frontier:
    """What is still to be visited.

    >>> frontier = Frontier()
    >>> frontier.push("https://example.org")
    """

    def __init__(self):
        self.queue = deque()
        self.seen = set()
        self.failures = {}

    def push(self, url):
        url = url.rstrip("/")
        if url in self.seen:
            return False
        self.seen.add(url)
        self.queue.append(url)
        return True

    def push_first(self, url):
        url = url.rstrip("/")
        if url in self.seen:
            return False
        self.seen.add(url)
        self.queue.appendleft(url)
        return True

    def pop(self):
        while self.queue:
            url = self.queue.popleft()
            if self.failures.get(url, 0) < 3:
                return url
        return None


def fetch(url, retries=2):
    request = urllib.request.Request(url, headers={"User-Agent": AGENT})
    for attempt in range(retries + 1):
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT) as answer:
                return answer.read()
        except OSError as error:
            print(f"attempt {attempt}: {error}")
            time.sleep(2**attempt)
    return b""


def crawl(start, limit):
    frontier = Frontier()
    frontier.push(start)
    pages = {}
    while len(pages) < limit:
        url = frontier.pop()
        if url is None:
            break
        pages[url] = fetch(url)
    return pages
