// The door through which the organisation's mail server hands over answers (LMTP, RFC 2033): a mail is taken when it is committed, not before.

import { SMTPServer, type SMTPServerDataStream } from 'smtp-server'
import type { House } from '#core/server/house.ts'
import { readMail } from './read-mail.ts'
import { readReplyAddress } from './reply-address.ts'
import { isOpenToken, takeMail, type Outcome } from './take-mail.ts'

export type MailDoor = { port: number; close(): Promise<void> }

/** Of each house in this process, by its settings. */
const doors = new Map<object, MailDoor>()
export const mailDoorOf = ({ settings }: House): MailDoor | undefined => doors.get(settings)

export async function closeMailDoor({ settings }: House): Promise<void> {
  await doors.get(settings)?.close()
  doors.delete(settings)
}

const mostBytes = 25 * 1024 * 1024

const refusal = (responseCode: number, says: string): Error => Object.assign(new Error(says), { responseCode })

const answers: Readonly<Record<Outcome, string | Error>> = {
  taken: 'Taken',
  held: 'Held for a person',
  ignored: 'Taken and ignored',
  refused: refusal(550, '5.7.1 There is nothing to take'),
  tooLong: refusal(552, '5.3.4 The text is longer than 20,000 characters'),
  tooMany: refusal(552, '5.3.4 The mail has more than 20 files'),
  files: refusal(
    550,
    '5.7.1 This mail waits for a person, and mail that waits is taken without files alone: send it again without its files',
  ),
  again: refusal(451, '4.7.1 Too many mails of this sender, try later'),
}

export async function openMailDoor(house: House, port: number): Promise<MailDoor> {
  const server = new SMTPServer({
    lmtp: true,
    name: 'chancery',
    size: mostBytes,
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    maxClients: 20,
    socketTimeout: 60_000,
    onRcptTo({ address }, _session, respond) {
      const token = readReplyAddress(house, address)
      const known = token === undefined ? Promise.resolve(false) : isOpenToken(house, token)
      known.then(
        (open) => respond(open ? null : refusal(550, '5.1.1 There is no such address')),
        (error: unknown) => {
          house.log.error({ error }, 'an address of mail could not be looked up')
          respond(refusal(451, '4.3.0 Try later'))
        },
      )
    },
    onData(stream, { envelope }, respond) {
      const { mailFrom, rcptTo } = envelope
      const take = async (): Promise<(string | Error)[]> => {
        const bytes = await readAll(stream)
        if (bytes === undefined) return rcptTo.map(() => refusal(552, '5.3.4 The mail is larger than 25 MB'))
        // Without a sender it is a notice of a mail server.
        if (mailFrom === false || mailFrom.address === '') return rcptTo.map(() => answers.ignored)
        const mail = await readMail(bytes).catch(() => undefined)
        if (mail === undefined) return rcptTo.map(() => refusal(550, '5.6.0 This is no mail that can be read'))
        const said: (string | Error)[] = []
        for (const { address } of rcptTo) {
          const token = readReplyAddress(house, address)
          said.push(token === undefined ? answers.refused : answers[await takeMail(house, token, mail).catch(failed)])
        }
        return said
      }
      const failed = (error: unknown): 'again' => {
        house.log.error({ error }, 'a mail could not be taken')
        return 'again'
      }
      // One answer for each recipient, which the types of the library do not know.
      const respondEach = respond as (error: Error | null, said?: unknown) => void
      take().then(
        (said) => respondEach(null, said),
        (error: unknown) => {
          house.log.error({ error }, 'a mail could not be read')
          respond(refusal(451, '4.3.0 Try later'))
        },
      )
    },
  })
  server.on('error', (error) => house.log.warn({ error }, 'a mail server’s connection broke'))
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    const listening = server.listen(port, house.settings.host, () => {
      server.off('error', reject)
      const address = listening.address()
      const door = {
        port: typeof address === 'object' && address !== null ? address.port : port,
        close: () => new Promise<void>((closed) => server.close(closed)),
      }
      doors.set(house.settings, door)
      house.outward.closePort(door.port)
      resolve(door)
    })
  })
}

/** Undefined where it is too long; the rest is read and dropped, so that the other side hears the answer. */
async function readAll(stream: SMTPServerDataStream): Promise<Buffer | undefined> {
  const parts: Buffer[] = []
  let length = 0
  for await (const part of stream as AsyncIterable<Buffer>) {
    length += part.length
    if (length <= mostBytes) parts.push(part)
  }
  return length > mostBytes ? undefined : Buffer.concat(parts)
}
