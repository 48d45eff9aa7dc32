// What people call the reasons of findings, the views and the states of runs.

import { t } from '#core/console/text.ts'
import type { Reason, RunState, View } from '../rules.ts'

export const reasonWord = (reason: Reason): string =>
  ({
    expired: t('Expired'),
    notYetValid: t('Not valid yet'),
    selfSigned: t('Signed by itself'),
    unknownIssuer: t('Unknown issuer'),
    nameMismatch: t('Other name'),
    weakKey: t('Weak key'),
    weakSignature: t('Weak signature'),
  })[reason]

export const viewWord = (view: View): string =>
  ({
    closeToExpiry: t('Close to expiry'),
    expired: t('Expired'),
    untrusted: t('Untrusted'),
    all: t('All'),
    taken: t('Taken over'),
    ignored: t('Ignored'),
  })[view]

export const runWord = (state: RunState): string =>
  ({
    waiting: t('Waiting'),
    running: t('Running'),
    paused: t('Paused'),
    stopping: t('Stopping'),
    done: t('Done'),
    cancelled: t('Stopped'),
    failed: t('Failed'),
  })[state]
