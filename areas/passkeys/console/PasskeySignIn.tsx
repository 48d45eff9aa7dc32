// Signing in with a passkey: a button, and the browser's list at the username field.

import { Button, Divider, Stack } from '@mantine/core'
import { IconFingerprint } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { bootstrapStore } from '#core/console/bootstrap.ts'
import { asCallFault, type CallFault } from '#core/console/call-fault.ts'
import { FaultAlert } from '#core/console/kit/states.tsx'
import { askAhead } from '#core/console/queries.ts'
import { send } from '#core/console/send.ts'
import { t } from '#core/console/text.ts'
import { passkeys } from '../contract.ts'
import { askForSignIn, autofillWorks, endCeremony, passkeysWork, signalUnknown, wasCancelled } from './ceremony.ts'
import { ChallengePause, challenges } from './challenge.ts'

/** Signs in by one ceremony. */
async function ceremony(mediation: 'conditional' | 'optional'): Promise<void> {
  const challenge = await challenges.take({ explicit: mediation === 'optional' })
  const assertion = await askForSignIn(challenge.bytes, mediation)
  challenges.discard(challenge)
  try {
    await send(passkeys.calls.signIn, assertion)
  } catch (error) {
    if (asCallFault(error).code === 'unknown') await signalUnknown(assertion.id)
    throw error
  }
}

const wait = (milliseconds: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, milliseconds)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })

/** Who has signed in with a passkey finds the own passkeys read already. */
async function enter(onDone: () => void | Promise<void>): Promise<void> {
  await onDone()
  const viewer = bootstrapStore.getState().bootstrap?.viewer
  if (viewer !== undefined) void askAhead(passkeys.calls.list, { userId: viewer.id }).catch(() => undefined)
}

export function PasskeySignIn({ onDone }: { onDone: () => void | Promise<void> }) {
  const [pending, setPending] = useState(false)
  const [fault, setFault] = useState<CallFault>()
  /** Begins the list at the field anew: after the prompt, and when a challenge has grown old. */
  const [round, setRound] = useState(0)

  useEffect(() => {
    if (pending) return undefined
    const over = new AbortController()
    void offerInField(over.signal)
    return () => {
      over.abort()
      endCeremony()
    }

    async function offerInField(signal: AbortSignal): Promise<void> {
      if (!(await autofillWorks()) || signal.aborted) return
      try {
        const { freshFor, take } = challenges
        const renewal = wait(freshFor(await take({ explicit: false })), signal).then(
          () => void (signal.aborted || setRound((count) => count + 1)),
        )
        if (signal.aborted) return await renewal
        await ceremony('conditional')
        if (!signal.aborted) await enter(onDone)
      } catch (error) {
        if (signal.aborted || wasCancelled(error)) return
        if (error instanceof ChallengePause) await wait(error.milliseconds, signal)
        else if (asCallFault(error).status > 0) setFault(asCallFault(error))
        else await wait(challenges.pauseLeft(), signal)
        if (!signal.aborted) setRound((count) => count + 1)
      }
    }
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [pending, round])

  if (!passkeysWork()) return null
  const press = async (): Promise<void> => {
    setFault(undefined)
    setPending(true)
    try {
      await ceremony('optional')
      await enter(onDone)
    } catch (error) {
      // Whoever closed the prompt knows it.
      if (!wasCancelled(error)) setFault(asCallFault(error))
    } finally {
      setPending(false)
    }
  }
  return (
    <Stack gap="sm">
      <Divider label={t('or')} />
      <Button
        variant="default"
        fullWidth
        loading={pending}
        leftSection={<IconFingerprint size={18} stroke={1.8} aria-hidden />}
        onClick={() => void press()}
      >
        {t('Sign in with a passkey')}
      </Button>
      <FaultAlert fault={fault} />
    </Stack>
  )
}
