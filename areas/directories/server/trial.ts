// Tries how a directory is set up before that is saved, and says which step failed.

import type { House } from '#core/server/house.ts'
import type { TrialStep } from '../trial-steps.ts'
import { trialSteps } from '../trial-steps.ts'
import { DirectoryError, findFew, needEntry, readEntry, withSignIn, type Read } from './connection.ts'
import { findFewAccounts, withSecret } from './entra.ts'
import type { DirectoryRecord } from './store.ts'

const mostShown = 5

type Trial = { steps: { step: TrialStep; fault: string }[]; people: Read[] }

/** Signs in, looks for the base and reads the first people. Nothing is written, here or there. */
export async function tryDirectory(house: House, directory: DirectoryRecord, password: string): Promise<Trial> {
  const steps: Trial['steps'] = []
  const reached = (step: TrialStep): void => void steps.push({ step, fault: '' })
  const order = directory.kind === 'entra' ? (['signIn', 'filter'] as const) : trialSteps
  try {
    const people = await (directory.kind === 'entra' ? readEntra : readLdap)(house, directory, password, reached)
    return { steps, people }
  } catch (error) {
    if (!(error instanceof DirectoryError)) throw error
    const step = order[steps.length]
    if (step !== undefined) steps.push({ step, fault: error.message })
    return { steps, people: [] }
  }
}

type Reading = (house: House, directory: DirectoryRecord, password: string, reached: (step: TrialStep) => void) => Promise<Read[]>

const readLdap: Reading = (house, directory, password, reached) =>
  withSignIn(
    house,
    directory,
    password,
    async (client) => {
      await needEntry(client, directory.base_dn)
      reached('base')
      const found = await findFew(client, directory, '', mostShown)
      reached('filter')
      return found.flatMap((entry) => readEntry(entry, directory) ?? [])
    },
    { reached },
  )

const readEntra: Reading = (house, directory, password, reached) =>
  withSecret(house, directory, password, async (graph) => {
    reached('signIn')
    const found = await findFewAccounts(graph, '', mostShown)
    reached('filter')
    return found
  })
