import { Alert } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { t } from '#core/console/text.ts'
import { isUnavailable, type TokenState } from '../tokens.ts'
import { stateTexts } from './state-texts.ts'

/** What to do about a token that cannot be used; nothing for one that can. */
export function TokenTrouble({ state }: { state: TokenState }) {
  if (!isUnavailable(state)) return undefined
  return (
    <Alert color="red" variant="light" icon={<IconAlertTriangle size={20} stroke={1.8} aria-hidden />} title={t(stateTexts[state].short)}>
      {t(stateTexts[state].advice)}
    </Alert>
  )
}
