// The first time-based code: a QR for the authenticator app, recovery codes to keep, and the code that proves it works.

import { Alert, Button, Group, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { IconCheck, IconCopy, IconKey } from '@tabler/icons-react'
import { useState, type ReactNode } from 'react'
import { DownloadButton } from '#core/console/kit/DownloadButton.tsx'
import { Mono } from '#core/console/kit/Mono.tsx'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { CodeForm } from './CodeForm.tsx'
import type { sessions } from './contract.ts'

export type CodeOffer = {
  /** The QR as an image address. */
  qr: string
  /** The same as an address, which opens the app on a phone. */
  otpauth: string
  secret: string
  recoveryCodes: readonly string[]
}

type CodeEnrolmentProps = {
  offer: CodeOffer
  submit: string
  onDone: (viewers: OutputOf<typeof sessions.calls.TOTPAuth>) => void | Promise<void>
  cancel?: { label: string; onClick: () => void }
}

export function CodeEnrolment({ offer, submit, onDone, cancel }: CodeEnrolmentProps) {
  return (
    <Stack gap="lg">
      <Part number={1} title={t('Scan this with your authenticator app')}>
        {offer.otpauth !== '' && (
          <Group hiddenFrom="sm">
            <Button component="a" href={offer.otpauth} size="md">
              {t('Open it in the app on this phone')}
            </Button>
          </Group>
        )}
        <Group gap="md" align="flex-start">
          <img
            src={offer.qr}
            alt={t('QR code for your authenticator app')}
            width={176}
            height={176}
            style={{ background: '#fff', borderRadius: 6, border: '1px solid var(--chancery-line)' }}
          />
          <Stack gap={6} flex="1 1 200px">
            <Text size="sm" c="dimmed">
              {t('Any app for time-based codes will do. If you cannot scan, type this key into it:')}
            </Text>
            <div style={{ overflowWrap: 'anywhere' }}>
              <Mono value={offer.secret} label={t('Key')} grouped />
            </div>
          </Stack>
        </Group>
      </Part>
      <Part number={2} title={t('Keep your recovery codes')}>
        <RecoveryCodes codes={offer.recoveryCodes} />
      </Part>
      <Part number={3} title={t('Enter the code that the app shows')}>
        <CodeForm submit={submit} onDone={onDone} first {...(cancel === undefined ? {} : { cancel })} />
      </Part>
    </Stack>
  )
}

function Part({ number, title, children }: { number: number; title: string; children: ReactNode }) {
  return (
    <Stack component="section" gap="xs" aria-label={title}>
      <Title order={2} size="h3">
        {t('{number}. {title}', { number, title })}
      </Title>
      {children}
    </Stack>
  )
}

function RecoveryCodes({ codes }: { codes: readonly string[] }) {
  const [copied, setCopied] = useState<'no' | 'yes' | 'failed'>('no')
  const text = codes.join('\n')
  if (codes.length === 0) return <Alert icon={<IconKey size={18} aria-hidden />}>{t('There are no recovery codes')}</Alert>
  return (
    <Stack gap="xs">
      <Text size="sm" c="dimmed">
        {t('Each opens your account once, when you do not have the app with you. They are not shown again.')}
      </Text>
      <Paper withBorder p="sm">
        <SimpleGrid component="ul" cols={{ base: 1, xs: 2 }} spacing={4} verticalSpacing={4} m={0} p={0} style={{ listStyle: 'none' }}>
          {codes.map((code) => (
            <li key={code}>
              <Mono value={code} grouped={false} />
            </li>
          ))}
        </SimpleGrid>
      </Paper>
      <Group gap="xs">
        <Button
          variant="default"
          leftSection={copied === 'yes' ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} stroke={1.8} aria-hidden />}
          onClick={() =>
            void navigator.clipboard.writeText(text).then(
              () => setCopied('yes'),
              () => setCopied('failed'),
            )
          }
        >
          {t('Copy codes')}
        </Button>
        <DownloadButton
          label={t('Download codes')}
          fileName="chancery-recovery-codes.txt"
          from={() => new Blob([`${t('Chancery recovery codes. Each works once.')}\n\n${text}\n`], { type: 'text/plain' })}
        />
        <Text size="sm" role="status" c={copied === 'failed' ? 'var(--mantine-color-error)' : 'dimmed'}>
          {copied === 'yes' ? t('Copied') : copied === 'failed' ? t('Copying is not allowed here') : ''}
        </Text>
      </Group>
    </Stack>
  )
}
