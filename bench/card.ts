// What a command to a card costs on its way over the link of the security client, on loopback and with a card of software; and fifty cards at once, each behind a
// link of its own. Both ends are in this process.

import { openClientLink } from '#core/agent-link/client.ts'
import { linkIdentity } from '#core/agent-link/identity.ts'
import { hostReaders } from '#core/agent-link/reader-host.ts'
import { listenForAgents, type AgentLink } from '#core/agent-link/server.ts'
import { virtualReaders } from '#core/agent-link/virtual-readers.ts'
import { sealWith } from '#core/server/installation-key.ts'
import { openVirtualCard } from '#standards/piv/card/card.ts'
import { blankCard } from '#standards/piv/card/state.ts'
import { median, percentile, rounded, timed } from './machine.ts'
import type { Bench } from './run.ts'

const commands = 3_000
const commandsOfEach = 200
const cardsAtOnce = 50
const mostMilliseconds = 3
const reader = 'Bench reader'
/** Asks for the discovery object, which any card answers at once. */
const command = Buffer.from('00cb3fff035c017e00', 'hex')
const selectPiv = Buffer.from('00a404000ba00000030800001000010000', 'hex')

export const run: Bench['run'] = async ({ rounds = 3, say }) => {
  const relay = await relayed(rounds)
  say(`A command takes ${rounded(median(relay), 2)} ms`)
  const many = await relayedByMany()
  const relayMsPerApdu = rounded(median(relay), 3)
  return {
    figures: {
      relayMsPerApdu,
      relayMsPerApduP99: rounded(percentile(relay, 0.99), 3),
      relayMsPerApduOfFiftyCards: rounded(median(many.each), 3),
      apdusPerSecondOfFiftyCards: rounded(many.each.length / many.seconds),
    },
    ratios: {},
    failed: relayMsPerApdu > mostMilliseconds,
  }
}

/** One link and a transaction with its card. */
async function openLink(serial: number) {
  const identity = linkIdentity(sealWith(Buffer.alloc(32, 5)), new Date())
  const came = Promise.withResolvers<AgentLink>()
  const server = await listenForAgents({
    identity,
    host: '127.0.0.1',
    port: 0,
    accept: came.resolve,
    changed: () => {},
    ended: () => {},
  })
  const source = virtualReaders([reader])
  source.insert(reader, openVirtualCard(blankCard({ serial })))
  const host = hostReaders(source)
  const client = openClientLink({
    address: '127.0.0.1',
    port: server.port,
    pin: identity.pin,
    hello: { version: 'bench', machine: 'bench', ticket: 't', secret: '' },
    readers: source.list(),
    heard({ ask }, link) {
      if (ask !== undefined) void host.answer(ask).then((answer) => link.tell({ answer }))
    },
    ended: () => {},
  })
  const link = await came.promise
  const question = { reader, session: 'bench', card: '', fence: 0, says: 'Measuring', data: new Uint8Array() }
  await link.ask({ ...question, act: 'begin' })
  await link.ask({ ...question, act: 'transmit', data: selectPiv })
  const once = async (): Promise<void> => {
    const answer = Buffer.from(await link.ask({ ...question, act: 'transmit', data: command }))
    if (!answer.subarray(-2).equals(Buffer.from('9000', 'hex'))) throw new Error(`The card answered ${answer.toString('hex')}`)
  }
  return {
    once,
    async close() {
      await link.ask({ ...question, act: 'end' })
      client.close()
      await server.close()
    },
  }
}

async function relayed(rounds: number): Promise<number[]> {
  const { once, close } = await openLink(1)
  await timed(commands, once)
  const measured: number[] = []
  for (let round = 0; round < rounds; round += 1) measured.push(...(await timed(commands, once)))
  await close()
  return measured
}

async function relayedByMany(): Promise<{ each: number[]; seconds: number }> {
  const links = await Promise.all(Array.from({ length: cardsAtOnce }, (_one, n) => openLink(100 + n)))
  const began = performance.now()
  const each = (await Promise.all(links.map(({ once }) => timed(commandsOfEach, once)))).flat()
  const seconds = (performance.now() - began) / 1_000
  await Promise.all(links.map(({ close }) => close()))
  return { each, seconds }
}
