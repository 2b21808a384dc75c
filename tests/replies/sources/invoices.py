"""Invoices: reading, checking, and sums with tax."""

from __future__ import annotations

import csv
import logging
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Iterable, Protocol

log = logging.getLogger(__name__)
RATE = Decimal("0.19")


class Sink(Protocol):
    def write(self, line: str) -> None: ...


@dataclass
class Invoice:
    number: str
    customer: str
    lines: list[Decimal] = field(default_factory=list)
    paid: bool = False

    def net(self) -> Decimal:
        total = Decimal(0)
        for amount in self.lines:
            total += amount
        log.debug("net of %s: %s", self.number, total)
        return total

    def gross(self) -> Decimal:
        total = Decimal(0)
        for amount in self.lines:
            total += amount * (1 + RATE)
        log.debug("gross of %s: %s", self.number, total)
        return total


def read_invoices(path: str) -> list[Invoice]:
    found = []
    with open(path, newline="", encoding="utf-8") as handle:
        for row in csv.DictReader(handle):
            invoice = Invoice(row["number"], row["customer"])
            invoice.lines.append(Decimal(row["amount"]))
            found.append(invoice)
    return found


def read_reminders(path: str) -> list[Invoice]:
    found = []
    with open(path, newline="", encoding="utf-8") as handle:
        for row in csv.DictReader(handle):
            invoice = Invoice(row["number"], row["customer"])
            invoice.paid = row["paid"] == "yes"
            found.append(invoice)
    return found


def unpaid(invoices: Iterable[Invoice]) -> list[Invoice]:
    result = []
    for invoice in invoices:
        if invoice.paid:
            continue
        result.append(invoice)
    return result


def overdue_names(invoices: Iterable[Invoice]) -> str:
    names = sorted({invoice.customer for invoice in invoices})
    text = " – ".join(names)
    return f"Überfällig: {text}"
