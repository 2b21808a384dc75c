# frozen_string_literal: true

require "json"
require "net/smtp"

# Sends what is due, and remembers what failed.
class Mailer
  attr_reader :sent, :failed

  def initialize(host, port: 25)
    @host = host
    @port = port
    @sent = []
    @failed = {}
  end

  def deliver(message)
    text = render(message)
    Net::SMTP.start(@host, @port) do |smtp|
      smtp.send_message(text, message[:from], message[:to])
    end
    @sent << message[:id]
    true
  rescue IOError => e
    @failed[message[:id]] = e.message
    false
  end

  def deliver_later(message)
    text = render(message)
    File.write(spool(message), text)
    @sent << message[:id]
    true
  rescue IOError => e
    @failed[message[:id]] = e.message
    false
  end

  def summary
    lines = []
    lines << "sent: #{@sent.size}"
    lines << "failed: #{@failed.size}"
    lines.join("\n")
  end

  private

  def render(message)
    subject = message.fetch(:subject, "Grüße")
    body = message.fetch(:body)
    "Subject: #{subject}\n\n#{body}"
  end

  def spool(message)
    name = "#{message[:id]}.eml"
    File.join("spool", name)
  end
end
