// What is refused for want of proof: the dialog asks, and the call is sent once more.

import { screen } from '@testing-library/react'
import { Suspense, lazy } from 'react'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { answerProof, proofStore } from '#core/console/proof.ts'
import { roomsStore } from '#core/console/rooms.ts'
import { send } from '#core/console/send.ts'
import { proofDialogs } from '#core/console/slots.ts'
import { expectAccessible, showScreen } from '#core/console/testing/render.tsx'
import { offer } from '#core/contract/slots.ts'
import { answering } from '#core/testing/little-server.ts'
import { sessions } from '../contract.ts'
import { ProofDialog } from './ProofDialog.tsx'

const reset = 'POST /api2/Authentication-v1/MFAReset'
const confirm = 'POST /api2/Authentication-v1/ConfirmPassword'
const userId = '018f0000-0000-7000-8000-0000000000f1'
const proofNeeded = { status: 403, body: { code: 'proof_needed', message: 'Confirm that it is you' } }

/** As the shell shows it. */
function Host() {
  const asked = proofStore((state) => state.asked)
  return asked ? (
    <Suspense>
      <ProofDialog onDone={answerProof} />
    </Suspense>
  ) : null
}

beforeEach(() => {
  const dialog = lazy(async () => ({ default: ProofDialog }))
  roomsStore.setState({ consoleModules: [{ area: 'sessions', screens: {}, offers: [offer(proofDialogs, dialog)] }] })
})
afterEach(() => roomsStore.setState({ consoleModules: [] }))

it('asks for the password, tells of a wrong one, and goes on with the right one', async () => {
  let proved = false
  const server = await answering({
    [reset]: () => (proved ? { body: {} } : proofNeeded),
    [confirm]: ({ body }: { body: unknown }) => {
      proved = Object(body).password === 'right'
      return proved
        ? { body: { provedUntil: '2030-01-01T00:00:00Z' } }
        : { status: 403, body: { code: 'wrongPassword', message: '', fields: [{ field: 'password', says: 'This is not your password' }] } }
    },
  })
  const { user } = showScreen(<Host />)
  const done = send(sessions.calls.mfaReset, { userId })
  const field = await screen.findByLabelText(/^Your existing password/)
  await expectAccessible()
  await user.fill(field, 'wrong')
  await user.click(screen.getByRole('button', { name: 'Confirm' }))
  expect((await screen.findAllByText(/This is not your password/)).length).toBeGreaterThan(0)
  await user.fill(field, 'right')
  await user.click(screen.getByRole('button', { name: 'Confirm' }))
  await expect(done).resolves.toEqual({})
  expect(server.asked.filter(({ path }) => path.endsWith('MFAReset'))).toHaveLength(2)
  expect(proofStore.getState().asked).toBe(false)
})

it('changes nothing where the person gives up', async () => {
  const server = await answering({ [reset]: () => proofNeeded })
  const { user } = showScreen(<Host />)
  const done = send(sessions.calls.mfaReset, { userId }).catch((error: unknown) => error)
  await user.click(await screen.findByRole('button', { name: 'Change nothing' }))
  expect(await done).toMatchObject({ code: 'proof_needed' })
  expect(server.asked).toHaveLength(1)
})
