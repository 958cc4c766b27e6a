
# PowerShell keeps one completer per command and shows it to nobody: ask its insides
# for the one that cargo has, and leave cargo alone where that is not possible.
try {
	$_ktstr_flags = [System.Reflection.BindingFlags]'Instance, NonPublic'
	$_ktstr_context = $ExecutionContext.GetType().GetField('_context', $_ktstr_flags).GetValue($ExecutionContext)
	$_ktstr_known = $_ktstr_context.GetType().GetProperty('NativeArgumentCompleters', $_ktstr_flags).GetValue($_ktstr_context)
	$_ktstr_before = $null
	if ($_ktstr_known) {
		$null = $_ktstr_known.TryGetValue('cargo', [ref]$_ktstr_before)
	}
	Register-ArgumentCompleter -Native -CommandName 'cargo' -ScriptBlock ({
		param($wordToComplete, $commandAst, $cursorPosition)

		$words = $commandAst.CommandElements
		if ($words.Count -gt 1 -and $words[1].Extent.Text -ceq 'ktstr' -and
			$words[1].Extent.EndOffset -lt $cursorPosition) {
			& $_ktstr_completer $wordToComplete $commandAst $cursorPosition
		} elseif ($_ktstr_before) {
			& $_ktstr_before $wordToComplete $commandAst $cursorPosition
		}
	}.GetNewClosure())
} catch {
	Write-Verbose 'ktstr: completes cargo-ktstr only'
}
