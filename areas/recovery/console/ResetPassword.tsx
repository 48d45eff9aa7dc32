// Where a reset link leads: the secret questions where there are some, and a new password.

import { Stack, Text } from '@mantine/core'
import { IconCheck, IconLinkOff } from '@tabler/icons-react'
import { useEffect, useReducer } from 'react'
import { useParams } from 'react-router'
import { AnswerField } from '#areas/questions/AnswerField.tsx'
import { questionLabel } from '#areas/questions/question-label.ts'
import { sessions } from '#areas/sessions/contract.ts'
import { NewPasswordField } from '#areas/users/NewPasswordField.tsx'
import type { CallFault } from '#core/console/call-fault.ts'
import { Form } from '#core/console/kit/Form.tsx'
import { LinkButton } from '#core/console/kit/links.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { EmptyState, Loaded } from '#core/console/kit/states.tsx'
import { usePublicBrand } from '#core/console/public-brand.ts'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { to } from '#core/contract/paths.ts'
import { recovery } from '../contract.ts'
import { initialReset, resetReducer } from '../rules.ts'

type GoodLink = Extract<OutputOf<typeof recovery.calls.validateLink>, { isValid: true }>

export function ResetPassword() {
  const { token = '' } = useParams()
  const [state, dispatch] = useReducer(resetReducer, initialReset)
  const query = useCall(recovery.calls.validateLink, { token }, { enabled: !state.resetSuccessful })
  const link = query.data
  useEffect(() => {
    if (link?.isValid === true)
      dispatch({ type: 'validated', resetToken: token, tenancy: link.tenancy, passwordConfig: link.passwordConfig })
    if (link?.isValid === false) dispatch({ type: 'failed', responseCode: 'linkUsed' })
  }, [link, token])
  // Another link begins anew.
  useEffect(() => () => dispatch({ type: 'cleared' }), [token])
  usePublicBrand(link?.isValid === true ? link.brand : undefined)
  const title = t('Choose a new password')
  if (state.resetSuccessful)
    return (
      <Page title={title}>
        <EmptyState
          icon={IconCheck}
          title={t('Your password is reset')}
          text={t('All your sessions and API tokens have ended. Sign in with the new password and what else you sign in with.')}
          action={<LinkButton to={to(sessions.screens.login)}>{t('Sign in')}</LinkButton>}
        />
      </Page>
    )
  if (state.isValid === false)
    return (
      <Page title={title}>
        <EmptyState
          icon={IconLinkOff}
          title={t('This link does not work any more')}
          text={t('It has been used or has expired, or your password or address has changed since. Your password is as it was.')}
          action={<LinkButton to={to(recovery.screens.request)}>{t('Ask for a new link')}</LinkButton>}
        />
      </Page>
    )
  return (
    <Page title={title}>
      <Loaded query={query}>
        {(good) =>
          good.isValid && (
            <NewPassword
              token={token}
              link={good}
              onDone={() => dispatch({ type: 'succeeded' })}
              onFailed={({ code }) => dispatch({ type: 'failed', responseCode: code })}
            />
          )
        }
      </Loaded>
    </Page>
  )
}

type Values = { password: string; secret_answers: { answers: { answer_hash: string; answer_hash_updated?: string | undefined }[] } }

function NewPassword({
  token,
  link,
  onDone,
  onFailed,
}: {
  token: string
  link: GoodLink
  onDone: () => void
  onFailed: (fault: CallFault) => void
}) {
  const { clientSalt, questions, version } = link.secretQuestions
  return (
    <>
      <Text>
        {t('Your username at {tenancy} is', { tenancy: link.tenancy })} <strong>{link.username}</strong>.
      </Text>
      <Form
        call={recovery.calls.reset}
        initial={{ password: '', secret_answers: { answers: questions.map(() => ({ answer_hash: '' })) } }}
        toInput={({ password, secret_answers: { answers } }: Values) => ({
          token,
          password,
          ...(questions.length === 0
            ? {}
            : {
                secret_answers: {
                  client_salt: clientSalt,
                  answers: questions.map((question, index) => ({ ...question, answer_hash: '', ...answers[index] })),
                },
              }),
        })}
        submit={t('Set new password')}
        guard={false}
        onDone={onDone}
        onFailed={onFailed}
      >
        {(form) => (
          <Stack gap="md">
            {questions.map((question, index) => (
              <AnswerField
                key={questionLabel(question)}
                {...form.field(`secret_answers.answers.${index}.answer_hash`)}
                label={questionLabel(question)}
                salt={clientSalt}
                version={version}
                onUpdated={(lowered) => form.set(`secret_answers.answers.${index}.answer_hash_updated`, lowered)}
              />
            ))}
            <NewPasswordField {...form.field('password')} label={t('New password')} username={link.username} own={[link.username]} />
          </Stack>
        )}
      </Form>
    </>
  )
}
