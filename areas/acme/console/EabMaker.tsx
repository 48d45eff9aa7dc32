// Makes the key of an external account, and shows its secret once.

import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { NumberField, TagsField, TextField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { Mono } from '#core/console/kit/Mono.tsx'
import { Facts } from '#core/console/kit/Section.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { acme } from '../contract.ts'
import { DirectoryField } from './DirectoryField.tsx'
import { useDirectories } from './use-directories.ts'

type Row = OutputOf<typeof acme.calls.eabs>['rows'][number]
export type MadeEab = OutputOf<typeof acme.calls.addEab>
type Values = { directoryId: string; name: string; names: string[]; uses: number | undefined }

/** `onMade` hears of the key where somebody goes on with it. */
export function EabMaker({
  before,
  directoryId,
  close,
  onMade,
}: {
  before: Row | undefined
  directoryId?: string
  close: () => void
  onMade?: (made: MadeEab) => void
}) {
  const directories = useDirectories()
  const [made, setMade] = useState<MadeEab>()
  if (made !== undefined) return <Shown made={made} close={close} />
  return (
    <Loaded query={directories}>
      {({ rows }) => (
        <Form
          call={acme.calls.addEab}
          initial={{
            directoryId: before?.directoryId ?? directoryId ?? rows[0]?.id ?? '',
            name: before?.name ?? '',
            names: before?.names ?? [],
            uses: before?.usesLeft ?? 1,
          }}
          toInput={(values: Values) => ({ ...values, ...(before === undefined ? {} : { replaces: before.id }) })}
          submit={t('Make key')}
          cancel={{ label: t('Cancel'), onClick: close }}
          guard={false}
          quiet
          onDone={(key) => {
            setMade(key)
            onMade?.(key)
          }}
        >
          {(form) => (
            <>
              {before !== undefined && (
                <Text size="sm">{t('The key that it replaces makes no more accounts. Those that it made go on.')}</Text>
              )}
              <DirectoryField
                field={form.field('directoryId')}
                first={
                  before === undefined || rows.some(({ id }) => id === before.directoryId)
                    ? rows
                    : [...rows, { id: before.directoryId, name: before.directoryName }]
                }
              />
              <TextField {...form.field('name')} label={t('Name')} hint={t('Whose it is, such as a machine or a team')} required />
              <TagsField
                {...form.field('names')}
                error={
                  form.error('names') ?? form.values.names.map((_, at) => form.error(`names.${at}`)).find((wrong) => wrong !== undefined)
                }
                label={t('Names')}
                hint={t('Such as example.org, *.example.org or 10.0.0.0/8. Without any, whatever the template allows')}
              />
              <NumberField
                {...form.field('uses')}
                label={t('Accounts')}
                hint={t('How many accounts it may make. Empty: any number')}
                optional
                min={1}
                max={100_000}
              />
            </>
          )}
        </Form>
      )}
    </Loaded>
  )
}

function Shown({ made, close }: { made: MadeEab; close: () => void }) {
  return (
    <Stack gap="md">
      <Alert color="yellow" title={t('Copy it now')}>
        {t('The HMAC key is not shown again.')}
      </Alert>
      <Facts
        items={[
          { label: t('Key id (kid)'), value: <Mono value={made.kid} />, copy: made.kid },
          { label: t('HMAC key'), value: <Mono value={made.hmacKey} />, copy: made.hmacKey },
          { label: t('Directory'), value: <Mono value={made.directoryUrl} />, copy: made.directoryUrl },
        ]}
      />
      <Group justify="flex-end">
        <Button onClick={close}>{t('Close')}</Button>
      </Group>
    </Stack>
  )
}
