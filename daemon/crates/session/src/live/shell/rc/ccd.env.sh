# Interactive dash, ash, ksh, mksh and sh under ccd, read through ENV: the user's own file first,
# then prompt marks (OSC 133).

if [ -n "${CCD_ENV-}" ]; then
    ENV=$CCD_ENV
    export ENV
    unset CCD_ENV
else
    unset ENV
fi

case ${KSH_VERSION-} in
*MIRBSD* | *LEGACY*) __ccd_file=${ENV:-${HOME-}/.mkshrc} ;;
?*) __ccd_file=${ENV:-${HOME-}/.kshrc} ;;
*) __ccd_file=${ENV-} ;;
esac
case $__ccd_file in
'$HOME'/* | '~'/*) __ccd_file=${HOME-}/${__ccd_file#*/} ;;
esac
if [ -n "$__ccd_file" ] && [ -r "$__ccd_file" ]; then
    . "$__ccd_file"
fi
unset __ccd_file

# A prompt is printed unchanged, but a line editor must know which bytes have no width: each shell
# has its own notation for that.
if [ -n "${PS1-}" ]; then
    case ${KSH_VERSION-} in
    *MIRBSD* | *LEGACY*)
        # If a carriage return follows the first character of PS1, that character delimits bytes of no width.
        case $PS1 in
        ?"$(printf '\r')"*) ;;
        *) PS1=$(printf '\001\r\001\033]133;A\007\001%s\001\033]133;B\007\001' "$PS1") ;;
        esac
        ;;
    ?*) PS1=$(printf '\033]133;A\007%s\033]133;B\007' "$PS1") ;;
    *)
        # A shell with substrings that is not a ksh is bash or busybox. dash has none.
        if (eval ': "${PS1:0:1}"') 2>/dev/null; then
            PS1='\[\033]133;A\007\]'$PS1'\[\033]133;B\007\]'
        else
            PS1=$(printf '\033]133;A\007%s\033]133;B\007' "$PS1")
        fi
        ;;
    esac
fi
