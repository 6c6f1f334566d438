# Read by a command's login shell after /etc/profile and ~/.profile, by way of BASH_ENV.
# Debian's profile sets PATH anew; what pip and npm install for the user must stay on it.
unset BASH_ENV
case ":$PATH:" in
  *":$HOME/.local/bin:"*) ;;
  *) PATH="$HOME/.local/bin:$PATH" ;;
esac
