// What rooms above add to the pages of sign-in: further ways to sign in, further ways to prove who one is, and parts of the own account.

import type { ComponentType, LazyExoticComponent } from 'react'
import { slot } from '#core/contract/slots.ts'

/** Stands below the form with the password. `onDone` is called once the session is open. */
export type SignInWay = { key: string; load: LazyExoticComponent<ComponentType<{ onDone: () => void | Promise<void> }>> }
export const signInWays = slot<SignInWay>('sessions: further ways to sign in')

/** Stands below the password where a person proves anew who they are. */
export type ProofWay = { key: string; load: LazyExoticComponent<ComponentType<{ onProved: () => void }>> }
export const proofWays = slot<ProofWay>('sessions: further ways to prove who one is')

/** A section of the page of one’s own account, between signing in and notices. */
export type AccountPart = { key: string; load: LazyExoticComponent<ComponentType> }
export const accountParts = slot<AccountPart>('sessions: parts of the own account')
