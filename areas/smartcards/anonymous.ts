// Calls of the page where somebody without an account, at a reader, changes the PIN of the card in it or unblocks it. The contract is put together from these.

import * as z from 'zod'
import { noSession } from '#areas/portal/rules.ts'
import { OwnQuestions, SecretAnswers } from '#areas/questions/rules.ts'
import type { CallShape } from '#core/contract/contract.ts'
import { passphraseFaults, wrongAnswers } from './at-card.ts'
import { clientFaults, pinBlocked, pukFaults, samePin, wrongPin } from './card-faults.ts'
import { CardId, ClientConfig, NewPin, OldPin, ReaderView } from './shapes.ts'

const notHere = {
  status: 409,
  says: 'Nothing can be done with this card here: it is not in use, or it cannot prove without its PIN which card it is. Go to the card desk',
} as const
const atCard = { ...clientFaults, noSession, notHere } as const

export const anonymousCalls = {
  anonymousReaders: {
    does: 'Lists the readers of the security client that has joined the anonymous session, with the serial number of the card in each and nothing that is kept of it.',
    method: 'GET',
    path: '/api2/CMS-v2/AnonymousListReaders',
    olderPath: '/api2/CMS-v1/AnonymousListReaders',
    needs: 'public',
    ownTransactions: true,
    input: z.object({}),
    output: z.object({ readers: z.array(ReaderView) }),
    failed: 'Error',
    faults: { ...clientFaults, noSession },
  },
  anonymousTicket: {
    does: 'Makes a ticket, good once and for a minute, by which the security client on the same machine joins the anonymous session until that ends.',
    title: 'Connect a security client without an account',
    method: 'POST',
    path: '/api2/CMS-v2/AnonymousClientTicket',
    needs: 'public',
    ownTransactions: true,
    unstored: true,
    limit: 'publicLink',
    input: z.object({}),
    output: z.object({ SessionCookie: z.string(), GRPCConfig: ClientConfig }),
    failed: 'Unable to retrieve session cookie',
    faults: { noSession },
  },
  anonymousChangePin: {
    does: 'Replaces the PIN of the card in a reader of the anonymous session, by the one that it has; the card then proves by its keys which card it is.',
    title: 'Change the PIN of a smartcard without an account',
    method: 'POST',
    path: '/api2/CMS-v2/AnonymousChangePin',
    needs: 'public',
    ownTransactions: true,
    limit: 'publicLink',
    input: z.object({ card_id: CardId, old_pin: OldPin, new_pin: NewPin }),
    output: z.object({}),
    done: 'Successfully changed PIN',
    failed: 'Could not change card PIN.',
    faults: { ...atCard, wrongPin, pinBlocked, samePin },
  },
  anonymousQuestions: {
    does: 'Answers the secret questions of the holder of the card in a reader of the anonymous session, once the card has proved which card it is.',
    title: 'Read the secret questions of a card without an account',
    method: 'POST',
    path: '/api2/CMS-v2/AnonymousCardSecretQuestions',
    needs: 'public',
    reads: true,
    watched: true,
    ownTransactions: true,
    limit: 'publicLink',
    input: z.object({ card_id: CardId }),
    output: OwnQuestions,
    failed: 'Could not reset card PIN',
    faults: { ...atCard, none: { status: 404, says: 'The holder of this card has set no secret questions' } },
  },
  anonymousResetByAnswers: {
    does: 'Sets a new PIN on a card that has proved itself in a reader of the anonymous session, by the answers of its holder; the holder is told by mail.',
    title: 'Unblock a smartcard by secret questions without an account',
    method: 'POST',
    path: '/api2/CMS-v2/AnonymousResetPinQA',
    needs: 'public',
    ownTransactions: true,
    limit: 'publicLink',
    input: z.object({ card_id: CardId, new_pin: NewPin, secret_answers: SecretAnswers }),
    output: z.object({}),
    done: 'Successfully reset card PIN',
    failed: 'Could not reset card PIN',
    faults: { ...atCard, ...pukFaults, wrongAnswers, paused: passphraseFaults.paused },
  },
  anonymousResetByPassphrase: {
    does: 'Sets a new PIN on a card that has proved itself in a reader of the anonymous session, by its passphrase; the holder is told by mail.',
    title: 'Unblock a smartcard by its passphrase without an account',
    method: 'POST',
    path: '/api2/CMS-v2/AnonymousResetPinPassphrase',
    needs: 'public',
    ownTransactions: true,
    limit: 'publicLink',
    input: z.object({ card_id: CardId, pin: NewPin, passphrase: z.string().max(200) }),
    output: z.object({}),
    done: 'Successfully reset card PIN',
    failed: 'Could not reset card PIN',
    faults: { ...atCard, ...pukFaults, ...passphraseFaults },
  },
} as const satisfies Record<string, CallShape>
