import { Alert, Stack, Text } from '@mantine/core'
import { IconBookmark, IconBookmarkOff, IconTrash } from '@tabler/icons-react'
import { useNavigate, useParams } from 'react-router'
import { users } from '#areas/users/contract.ts'
import { useMay } from '#core/console/bootstrap.ts'
import { confirm } from '#core/console/kit/confirm.tsx'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { DetailPage } from '#core/console/kit/DetailPage.tsx'
import { TextField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { TextLink } from '#core/console/kit/links.tsx'
import { Mono } from '#core/console/kit/Mono.tsx'
import { Facts, Section } from '#core/console/kit/Section.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { useCall, useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { toastFault } from '#core/console/toast-fault.ts'
import { toast } from '#core/console/toasts.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { to } from '#core/contract/paths.ts'
import { searchScreen } from '#core/contract/search.ts'
import { fidosync } from '../contract.ts'
import { stateLabels } from '../rules.ts'

type Credential = OutputOf<typeof fidosync.calls.get>

/** What Microsoft Graph says; another provider may say something else. */
const attestationText = (level: string): string =>
  level === 'attested' ? t('Attested') : level === 'notAttested' ? t('Not attested') : level

export function SyncedCredential() {
  const { id = '' } = useParams()
  const query = useCall(fidosync.calls.get, { credentialId: id })
  return <Loaded query={query}>{(credential) => <Shown credential={credential} />}</Loaded>
}

function Shown({ credential }: { credential: Credential }) {
  const navigate = useNavigate()
  const may = useMay()
  const { credentialId, state } = credential
  const name = credential.customName || credential.providerName || credential.model || credentialId
  const mark = useSend(fidosync.calls.mark, { quiet: true })
  const remove = useSend(fidosync.calls.remove, { quiet: true })
  const set = async (markedForDeletion: boolean) => {
    try {
      await mark.run({ credentialId, markedForDeletion })
      toast({
        kind: 'success',
        title: markedForDeletion ? t('This credential has been marked for deletion') : t('The mark was taken away'),
      })
    } catch (error) {
      toastFault(error, t('Failed to mark FIDO credential for deletion'))
    }
  }
  const erase = async () => {
    const sure = await confirm({
      title: t('Delete {name} at the provider?', { name }),
      consequence: t('{account} can no longer sign in with it. This cannot be undone.', { account: credential.account }),
      action: t('Delete at the provider'),
      keep: t('Keep credential'),
    })
    if (!sure) return
    try {
      await remove.run({ credentialId })
      toast({ kind: 'success', title: t('The credential was deleted at the provider') })
      await navigate(to(searchScreen, { searchType: 'fido' }))
    } catch (error) {
      toastFault(error, t('Failed to delete FIDO credential from the provider'))
    }
  }
  const edits = may('userEdit') && (credential.person !== undefined || may('ssoConfig'))
  return (
    <DetailPage
      title={name}
      status={<Status of={stateLabels[state].kind} label={t(stateLabels[state].label)} />}
      actions={[
        ...(edits && state === 'present' ? [{ label: t('Mark for deletion'), icon: IconBookmark, onClick: () => void set(true) }] : []),
        ...(edits && state === 'marked' ? [{ label: t('Take mark away'), icon: IconBookmarkOff, onClick: () => void set(false) }] : []),
        ...(edits && (state === 'marked' || state === 'deleting')
          ? [{ label: t('Delete at the provider'), icon: IconTrash, danger: true, onClick: () => void erase() }]
          : []),
      ]}
      tabs={[{ key: 'overview', label: t('Overview'), content: () => <Overview credential={credential} edits={edits} /> }]}
    />
  )
}

function Overview({ credential, edits }: { credential: Credential; edits: boolean }) {
  const may = useMay()
  const { credentialId, person, markedAt, markedBy, trouble, lastSyncAt, left, createdAt } = credential
  return (
    <Stack>
      {trouble !== '' && (
        <Alert color="orange" title={t('The last try to delete it did not succeed')}>
          {trouble}
        </Alert>
      )}
      {left && (
        <Alert color="gray" title={t('The person has left the provider')}>
          {t('The last sync did not find the account any more. The credential can still be deleted.')}
        </Alert>
      )}
      <Section title={t('Details')}>
        <Facts
          items={[
            {
              label: t('Person'),
              value:
                person === undefined ? (
                  t('No account here')
                ) : may('userView', 'View') ? (
                  <TextLink to={to(users.screens.view, { id: person.id })}>{person.name}</TextLink>
                ) : (
                  person.name
                ),
            },
            { label: t('Account at the provider'), value: credential.account },
            { label: t('Provider'), value: credential.provider },
            { label: t('Name at the provider'), value: credential.providerName },
            { label: t('Model'), value: credential.model },
            { label: t('Attestation'), value: attestationText(credential.attestation) },
            { label: 'AAGUID', value: <Mono value={credential.aaguid} /> },
            { label: t('Id'), value: <Mono value={credentialId} />, copy: credentialId },
            ...(createdAt === undefined ? [] : [{ label: t('Created'), value: <DateTime at={createdAt} /> }]),
            { label: t('Last seen'), value: <DateTime at={credential.seenAt} /> },
            ...(lastSyncAt === undefined ? [] : [{ label: t('Last sync'), value: <DateTime at={lastSyncAt} /> }]),
            ...(markedAt === undefined
              ? []
              : [
                  { label: t('Marked'), value: <DateTime at={markedAt} /> },
                  { label: t('Marked by'), value: markedBy },
                ]),
          ]}
        />
      </Section>
      {edits && credential.state !== 'gone' && (
        <Section title={t('Name here')} intro={t('The provider keeps the name that the person gave. This one is seen only here.')}>
          <Form
            key={credential.customName}
            call={fidosync.calls.rename}
            initial={{ credentialId, newCustomName: credential.customName }}
            submit={t('Rename')}
            onDone={() => {}}
          >
            {(form) => <TextField {...form.field('newCustomName')} label={t('Name')} hint={t('Empty: the name at the provider')} />}
          </Form>
        </Section>
      )}
      {credential.state === 'present' && edits && (
        <Text size="sm" c="dimmed">
          {t('To delete it at the provider, mark it first.')}
        </Text>
      )}
    </Stack>
  )
}
