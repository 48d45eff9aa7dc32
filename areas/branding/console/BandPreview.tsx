// The head of the sign-in page and of mail as they will be, while the colours are chosen.

import { Stack, Text } from '@mantine/core'
import { Logo } from '#core/console/shell/Logo.tsx'
import { Mark } from '#core/console/shell/Mark.tsx'
import { t } from '#core/console/text.ts'
import { parseColour } from '#core/contract/colour.ts'

type Band = { name: string; icon: string; logoHoldsName: boolean; background: string; text: string; line: string }

export function BandPreview(band: Band) {
  return (
    <Stack gap="sm" role="group" aria-label={t('Preview of the look')}>
      <Part title={t('Sign-in')} band={band} light />
      <Part title={t('Sign-in, dark')} band={band} />
      <Part title={t('Mail')} band={band} light mail />
    </Stack>
  )
}

function Part({
  title,
  band: { name, icon, logoHoldsName, background, text, line },
  light = false,
  mail = false,
}: {
  title: string
  band: Band
  light?: boolean
  mail?: boolean
}) {
  const [surface, ink, dim] = light ? ['#ffffff', '#1a2029', '#566070'] : ['#14171c', '#e3e7ed', '#a2abb9']
  const whole = parseColour(background) !== undefined && parseColour(text) !== undefined
  return (
    <div style={{ background: surface, color: ink, border: '1px solid var(--chancery-line)', borderRadius: 6, overflow: 'hidden' }}>
      <div
        style={{
          display: 'flex',
          alignItems: 'center',
          gap: 10,
          padding: '10px 14px',
          fontWeight: 600,
          borderBlockEnd: parseColour(line) === undefined ? undefined : `3px solid ${line}`,
          ...(whole ? { background, color: text } : {}),
        }}
      >
        {icon === '' ? mail ? null : <Mark /> : <Logo icon={icon} name={logoHoldsName ? name : ''} />}
        {!(logoHoldsName && icon !== '') && <span>{name}</span>}
      </div>
      <Text size="sm" style={{ color: dim, padding: 12 }}>
        {title}
      </Text>
    </div>
  )
}
