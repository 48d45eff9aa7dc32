// The field of one secret answer. The form never holds what was typed, only its hash: forms keep drafts, and answers are as secret as passwords.

import { useRef, useState } from 'react'
import type { FieldBinding } from '#core/console/kit/field-binding.ts'
import { PasswordField } from '#core/console/kit/fields.tsx'
import { t } from '#core/console/text.ts'
import { hashAnswer, shortestAnswer } from './rules.ts'

export type AnswerFieldProps = FieldBinding<string | undefined> & {
  label: string
  salt: string
  version: number
  /** Both forms of the hash, where the version asks for both. */
  onUpdated?: (lowered: string | undefined) => void
  autoFocus?: boolean
}

export function AnswerField({ salt, version, onUpdated, onChange, ...field }: AnswerFieldProps) {
  const [text, setText] = useState('')
  const latest = useRef('')
  const type = async (typed: string): Promise<void> => {
    setText(typed)
    latest.current = typed
    const answer = typed.trim()
    const hashes = answer.length < shortestAnswer ? { answer_hash: '' } : await hashAnswer(answer, salt, version)
    if (latest.current !== typed) return
    onChange(hashes.answer_hash)
    onUpdated?.('answer_hash_updated' in hashes ? hashes.answer_hash_updated : undefined)
  }
  return (
    <PasswordField
      {...field}
      value={text}
      onChange={(typed) => void type(typed ?? '')}
      hint={t('Capitals and small letters count as the same.')}
      autoComplete="off"
      required
    />
  )
}
