// Little servers that begin in the clear and go on encrypted, each as its protocol has it, a byte at a time so that nobody counts on whole lines.

import { createServer, type AddressInfo, type Socket } from 'node:net'
import { createSecureContext, TLSSocket } from 'node:tls'
import type { StartTlsKind } from '#standards/start-tls/kinds.ts'

/** `rest`: what came behind it, which is of TLS already. */
type Said = { say?: string | Buffer; secure?: boolean; rest?: Buffer }
/** What it says when it is met, and what to each thing that it hears. */
type Script = { greeting?: string | Buffer; hears(heard: Buffer): Said | undefined }

const lines = (answer: (line: string) => Said | undefined) => (heard: Buffer) =>
  heard.toString('latin1').endsWith('\n') ? answer(heard.toString('latin1').trim()) : undefined
const secure = (say?: string | Buffer): Said => ({ secure: true, ...(say === undefined ? {} : { say }) })

const mysqlGreeting = (() => {
  const body = Buffer.concat([Buffer.from('\u000a8.4.0\0', 'latin1'), Buffer.alloc(13), Buffer.from([0x00, 0x8a]), Buffer.alloc(20)])
  return Buffer.concat([Buffer.from([body.length, 0, 0, 0]), body])
})()

export const scripts: Readonly<Record<StartTlsKind, Script>> = {
  smtp: {
    greeting: '220-mail.example.org\r\n220 ready\r\n',
    hears: lines(
      (line) =>
      line.startsWith('EHLO ') ? { say: '250-mail.example.org\r\n250-SIZE 1000\r\n250 STARTTLS\r\n' } : line === 'STARTTLS' ? secure('220 go on\r\n') : { say: '500 no\r\n' }, // prettier-ignore
    ),
  },
  imap: {
    greeting: '* OK IMAP4rev1 ready\r\n',
    hears: lines((line) => (line === 'a1 STARTTLS' ? secure('* CAPABILITY IMAP4rev1\r\na1 OK begin\r\n') : { say: 'a1 BAD no\r\n' })),
  },
  pop3: { greeting: '+OK ready\r\n', hears: lines((line) => (line === 'STLS' ? secure('+OK begin\r\n') : { say: '-ERR no\r\n' })) },
  ftp: { greeting: '220 ready\r\n', hears: lines((line) => (line === 'AUTH TLS' ? secure('234 begin\r\n') : { say: '502 no\r\n' })) },
  ldap: {
    hears: (heard) => (heard.includes('1.3.6.1.4.1.1466.20037') ? secure(Buffer.from('300c02010178070a010004000400', 'hex')) : undefined),
  },
  postgresql: { hears: (heard) => (heard.equals(Buffer.from('0000000804d2162f', 'hex')) ? secure('S') : undefined) },
  mysql: {
    greeting: mysqlGreeting,
    hears: (heard) =>
      heard.length >= 36 && (heard.readUInt32LE(4) & 0x800) !== 0 ? { secure: true, rest: heard.subarray(36) } : undefined,
  },
  xmpp: {
    hears: (heard) => {
      const text = heard.toString('utf8')
      if (text.startsWith('<starttls ')) return secure("<proceed xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>")
      return text.includes("version='1.0'>")
        ? {
            say: "<stream:stream from='x' version='1.0'><stream:features><starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'/></stream:features>",
          }
        : undefined
    },
  },
}

export type LittleStartTls = { port: number; heard: string[]; close(): Promise<void> }

/** Listens at every address of loopback. `refuses`: says in its protocol that it has no TLS. */
export async function openStartTls(
  kind: StartTlsKind,
  { key, cert, refuses }: { key: string; cert: string; refuses?: string },
): Promise<LittleStartTls> {
  const secureContext = createSecureContext({ key, cert })
  const sockets = new Set<Socket>()
  const heardAll: string[] = []
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => sockets.delete(socket))
    const { greeting, hears } = scripts[kind]
    let heard = Buffer.alloc(0)
    const inPieces = (text: string | Buffer) => {
      for (const byte of Buffer.from(text as string)) socket.write(Buffer.from([byte]))
    }
    const onData = (part: Buffer) => {
      heard = Buffer.concat([heard, part])
      const said = hears(heard)
      if (said === undefined) return
      heardAll.push(heard.toString('latin1'))
      heard = Buffer.alloc(0)
      if (said.secure === true && refuses !== undefined) return void inPieces(refuses)
      if (said.say !== undefined) inPieces(said.say)
      if (said.secure !== true) return
      socket.off('data', onData)
      // It still flows, and would give what is put back to nobody.
      socket.pause()
      if (said.rest !== undefined && said.rest.length > 0) socket.unshift(said.rest)
      new TLSSocket(socket, { isServer: true, secureContext }).on('error', () => socket.destroy())
    }
    socket.on('data', onData)
    if (greeting !== undefined) inPieces(greeting)
  })
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    heard: heardAll,
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
