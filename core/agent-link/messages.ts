// The messages of agent.proto, as tables. agent.proto is what others read; a test holds the two against each other.

import { decodeMessage, encodeMessage, type Message, type MessageTable } from './protobuf.ts'

export const messageTables = {
  Hello: { version: [1, 'text'], machine: [2, 'text'], ticket: [3, 'text'], secret: [4, 'text'] },
  Reader: { name: [1, 'text'], atr: [2, 'bytes'], changes: [3, 'number'], isVirtual: [4, 'flag'] },
  Answer: { id: [1, 'number'], data: [2, 'bytes'], fault: [3, 'text'], says: [4, 'text'] },
  Welcome: { agentId: [1, 'text'], person: [2, 'text'], tenancy: [3, 'text'], secret: [4, 'text'], code: [5, 'text'] },
  Ask: {
    id: [1, 'number'],
    act: [2, 'text'],
    reader: [3, 'text'],
    session: [4, 'text'],
    fence: [5, 'number'],
    card: [6, 'text'],
    data: [7, 'bytes'],
    says: [8, 'text'],
  },
} as const satisfies Record<string, MessageTable>

export const readersTable = { readers: [1, { list: messageTables.Reader }] } as const satisfies MessageTable
export const fromAgentTable = {
  hello: [1, { message: messageTables.Hello }],
  readers: [2, { message: readersTable }],
  answer: [3, { message: messageTables.Answer }],
} as const satisfies MessageTable
export const toAgentTable = {
  welcome: [1, { message: messageTables.Welcome }],
  ask: [2, { message: messageTables.Ask }],
  refused: [3, 'text'],
} as const satisfies MessageTable

export type Hello = Message<typeof messageTables.Hello>
export type Reader = Message<typeof messageTables.Reader>
export type Answer = Message<typeof messageTables.Answer>
export type Welcome = Message<typeof messageTables.Welcome>
export type Ask = Message<typeof messageTables.Ask>
export type FromAgent = Message<typeof fromAgentTable>
export type ToAgent = Message<typeof toAgentTable>

export const fromAgent = {
  encode: (message: Partial<FromAgent>) => encodeMessage(fromAgentTable, message),
  decode: (bytes: Uint8Array): FromAgent => decodeMessage(fromAgentTable, bytes),
}
export const toAgent = {
  encode: (message: Partial<ToAgent>) => encodeMessage(toAgentTable, message),
  decode: (bytes: Uint8Array): ToAgent => decodeMessage(toAgentTable, bytes),
}

/** Why an agent did not do what it was asked. */
export const agentFaults = ['gone', 'stale', 'busy', 'failed'] as const
export type AgentFaultCode = (typeof agentFaults)[number]
